public class Dealer {
    public static void main(String[] args) {
        Deck deck = new Deck();
        Hand hand = new Hand();
        hand.add(deck.next());
        hand.add(deck.next());
        hand.playDealer(deck, true);
        System.out.println(hand.total() > 21 ? "Dealer busts." : "Dealer stands.");
    }
}

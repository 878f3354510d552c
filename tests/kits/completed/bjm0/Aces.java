public class Aces {
    public static void main(String[] args) {
        Deck deck = new Deck();
        Hand hand = new Hand();
        hand.add(deck.next());
        hand.add(deck.next());
        while (true) {
            hand.print("You have");
            if (hand.total() > 21) {
                System.out.println(" Bust!");
                break;
            }
            if (!deck.wantsCard()) {
                break;
            }
            hand.add(deck.next());
        }
        System.out.println("Final total: " + hand.total());
    }
}

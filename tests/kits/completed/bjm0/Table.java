public class Table {
    public static void main(String[] args) {
        Deck deck = new Deck();
        int players = 0;
        while (players < 1 || players > 7) {
            players = deck.number("Players: ");
        }
        Hand[] hands = new Hand[players];
        Hand dealer = new Hand();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < players; i++) {
                if (round == 0) {
                    hands[i] = new Hand();
                }
                hands[i].add(deck.next());
            }
            dealer.add(deck.next());
        }
        System.out.println("Dealer shows " + dealer.cards().get(0) + ".");
        int standing = 0;
        for (int i = 0; i < players; i++) {
            while (true) {
                hands[i].print("Player " + (i + 1) + " has");
                if (hands[i].total() > 21) {
                    System.out.println(" Bust!");
                    break;
                }
                if (!deck.wantsCard()) {
                    standing++;
                    break;
                }
                hands[i].add(deck.next());
            }
        }
        dealer.playDealer(deck, standing > 0);
        for (int i = 0; i < players; i++) {
            System.out.println("Player " + (i + 1) + (hands[i].beats(dealer) ? " wins." : " does not win."));
        }
    }
}

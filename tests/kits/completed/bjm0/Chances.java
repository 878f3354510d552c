import java.util.Locale;

public class Chances {
    private static final int[] unseen = {4, 4, 4, 4, 4, 4, 4, 4, 4, 16};

    private static int seen(int value) {
        unseen[value == 11 ? 0 : value - 1]--;
        return value;
    }

    private static double bustChance(Hand hand) {
        int hard = 0;
        int bust = 0;
        int all = 0;
        for (int card : hand.cards()) {
            hard += card == 11 ? 1 : card;
        }
        for (int value = 1; value <= 10; value++) {
            all += unseen[value - 1];
            bust += hard + value > 21 ? unseen[value - 1] : 0;
        }
        return (double) bust / all;
    }

    public static void main(String[] args) {
        Deck deck = new Deck();
        Hand player = new Hand();
        Hand dealer = new Hand();
        player.add(seen(deck.next()));
        dealer.add(seen(deck.next()));
        player.add(seen(deck.next()));
        dealer.add(deck.next());
        System.out.printf(Locale.ROOT, "Blackjack on the deal: %.4f%n", 64.0 / 1326);
        System.out.println("Dealer shows " + dealer.cards().get(0) + ".");
        while (true) {
            if (player.total() > 21) {
                player.print("Player has");
                System.out.println(" Bust!");
                break;
            }
            System.out.printf(Locale.ROOT, "Chance of a bust: %.4f%n", bustChance(player));
            player.print("Player has");
            if (!deck.wantsCard()) {
                break;
            }
            player.add(seen(deck.next()));
        }
        dealer.playDealer(deck, player.total() <= 21);
        System.out.println("Player " + (player.beats(dealer) ? "wins." : "does not win."));
    }
}

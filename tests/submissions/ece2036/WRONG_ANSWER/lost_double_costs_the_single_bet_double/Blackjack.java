import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

class Card {
    private static final String[] NAMES = {
        "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"
    };
    private static final Random RANDOM = new Random();
    private final int rank = RANDOM.nextInt(13) + 1;

    String getName() {
        return NAMES[rank - 1];
    }

    int getValue() {
        return rank == 1 ? 11 : Math.min(rank, 10);
    }
}

class Hand {
    final List<Card> cards = new ArrayList<>();
    private final boolean fromSplit;

    Hand(boolean fromSplit) {
        this.fromSplit = fromSplit;
    }

    void add() {
        cards.add(new Card());
    }

    int value() {
        int sum = 0;
        int soft = 0;
        for (Card card : cards) {
            sum += card.getValue();
            if (card.getValue() == 11) {
                soft++;
            }
        }
        for (; sum > 21 && soft > 0; soft--) {
            sum -= 10;
        }
        return sum;
    }

    boolean isBlackjack() {
        return !fromSplit && cards.size() == 2 && value() == 21;
    }

    boolean isFresh() {
        return !fromSplit && cards.size() == 2;
    }

    boolean isPair() {
        return isFresh() && cards.get(0).getValue() == cards.get(1).getValue();
    }

    void print(String owner) {
        StringBuilder line = new StringBuilder(owner + "'s hand is:");
        for (Card card : cards) {
            line.append(' ').append(card.getName());
        }
        System.out.println(line);
        System.out.println(owner + "'s hand value is " + value());
    }
}

public class Blackjack {
    private final Scanner in = new Scanner(System.in);
    private double money = 300;
    private double stake;    // what was bet before the deal
    private double bet;      // what can be won
    private Hand dealer;

    /** Money as a C++ stream prints it: six significant digits. */
    private static String dollars(double amount) {
        BigDecimal rounded = new BigDecimal(amount).round(new MathContext(6));
        if (rounded.abs().compareTo(new BigDecimal(1000000)) < 0) {
            return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
        }
        String text = String.format("%.5e", amount);
        int e = text.indexOf('e');
        return text.substring(0, e).replaceAll("0+$", "").replaceAll("\\.$", "") + text.substring(e);
    }

    private double readBet() {
        while (true) {
            System.out.print("Enter bet in dollars, 0 to quit: ");
            System.out.flush();
            if (!in.hasNextDouble()) {
                return 0;
            }
            double value = in.nextDouble();
            if (value <= money) {
                return value;
            }
            System.out.println("You don't have that much money!  Enter a lower bet.");
        }
    }

    /** Returns false if the hand is to be split. */
    private boolean playHand(Hand hand) {
        while (hand.value() < 21) {
            boolean rich = 2 * bet <= money;
            boolean mayDouble = hand.isFresh() && rich;
            boolean maySplit = hand.isPair() && rich;
            String choice = maySplit ? "(h)it, (s)tand, (d)ouble or s(p)lit: "
                    : mayDouble ? "(h)it, (s)tand or (d)ouble: " : "(h)it or (s)tand: ";
            System.out.print("What would you like to do? Enter " + choice);
            System.out.flush();
            if (!in.hasNext()) {
                System.exit(0);
            }
            char key = in.next().charAt(0);
            if (key == 's') {
                return true;
            } else if (key == 'h') {
                hand.add();
                hand.print("Player");
            } else if (key == 'd' && mayDouble) {
                System.out.println("Doubling down.");
                bet *= 2;
                hand.add();
                hand.print("Player");
                return true;
            } else if (key == 'p' && maySplit) {
                return false;
            } else if (key == 'd') {
                System.out.println("You cannot double now.");
            } else if (key == 'p') {
                System.out.println("You cannot split now.");
            } else {
                System.out.println("Please enter one of the letters.");
            }
        }
        return true;
    }

    private void settle(Hand hand) {
        int mine = hand.value();
        int theirs = dealer.value();
        if (mine > 21) {
            System.out.println("Player's hand is bust.");
            money -= stake;
        } else if (theirs > 21) {
            System.out.println("Dealer's hand is bust. Player wins!");
            money += bet;
        } else if (theirs > mine || dealer.isBlackjack()) {
            System.out.println("Dealer wins.");
            money -= stake;
        } else if (mine > theirs) {
            System.out.println("Player wins!");
            money += bet;
        } else {
            System.out.println("Push.");
        }
    }

    private void playRound() {
        Hand player = new Hand(false);
        dealer = new Hand(false);
        player.add();
        dealer.add();
        player.add();
        dealer.add();
        System.out.println("Dealer's first card is: " + dealer.cards.get(0).getName());
        player.print("Player");

        if (player.isBlackjack()) {
            if (dealer.isBlackjack()) {
                dealer.print("Dealer");
                System.out.println("Push.");
            } else {
                System.out.println("Blackjack! Player wins!");
                money += 1.5 * bet;
            }
            return;
        }

        List<Hand> hands = new ArrayList<>();
        if (playHand(player)) {
            hands.add(player);
        } else {
            for (int i = 0; i < 2; i++) {
                Hand hand = new Hand(true);
                hand.cards.add(player.cards.get(i));
                hand.add();
                hands.add(hand);
            }
            for (int i = 0; i < 2; i++) {
                System.out.println("--- Hand " + (i + 1) + " ---");
                hands.get(i).print("Player");
                playHand(hands.get(i));
            }
        }

        dealer.print("Dealer");
        while (dealer.value() < 17) {
            dealer.add();
            dealer.print("Dealer");
        }
        for (Hand hand : hands) {
            settle(hand);
        }
    }

    private void play() {
        System.out.println("Player starts with " + dollars(money) + " dollars");
        for (int round = 1; money > 0; round++) {
            if (round > 1) {
                System.out.print("\n\n");
            }
            System.out.println("Round " + round);
            bet = readBet();
            if (bet <= 0) {
                return;
            }
            stake = bet;
            playRound();
            System.out.println("Player has " + dollars(money) + " dollars");
        }
    }

    public static void main(String[] args) {
        new Blackjack().play();
    }
}

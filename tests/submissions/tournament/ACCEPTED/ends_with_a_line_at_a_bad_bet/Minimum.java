// Yara
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.security.SecureRandom;

public class Minimum {

    enum Rank {
        ACE("Ace", 11), TWO("2", 2), THREE("3", 3), FOUR("4", 4), FIVE("5", 5), SIX("6", 6), SEVEN("7", 7),
        EIGHT("8", 8), NINE("9", 9), TEN("10", 10), JACK("Jack", 10), QUEEN("Queen", 10), KING("King", 10);

        final String text;
        final int points;

        Rank(String text, int points) {
            this.text = text;
            this.points = points;
        }
    }

    static final SecureRandom RANDOM = new SecureRandom();
    static BufferedReader in;
    static PrintStream out;

    static class Hand {
        int total = 0;
        int count = 0;
        boolean hasAce = false;
        Rank last;

        void draw() {
            last = Rank.values()[RANDOM.nextInt(13)];
            count++;
            total += last.points;
        }

        int value() {
            return total;
        }

        void print(String who) {
            out.print(who + " " + last.text + ", hand value is " + value() + ".");
        }
    }

    static int halves = 200;    // the money, in halves of a euro

    static String money() {
        return halves / 2 + (halves % 2 == 1 ? ".5" : "") + "€";
    }

    static int askForBet() throws IOException {
        for (;;) {
            out.print("How much do you want to bet? Bet must be >= 10€ and <= " + money() + ". Press Enter for minimal bet. ");
            String line = in.readLine();
            if (line == null || line.isEmpty()) {
                return 10;
            }
            try {
                int bet = Integer.parseInt(line.trim());
                if (bet >= 10 && bet <= halves / 2) {
                    return bet;
                }
                out.println("The bet is too low or too high.");
            } catch (NumberFormatException e) {
                out.println("The bet is no number.");
                System.exit(0);
            }
        }
    }

    static void round(int number) throws IOException {
        out.println("\n*** ROUND " + number + ", you have " + money() + " left.\n");
        Hand player = new Hand();
        player.draw();
        player.print("You have");
        out.println("\n");
        int bet = askForBet();
        player.draw();
        player.print("You have");
        while (player.value() <= 21) {
            out.print(" Do you want another card? (y/n) ");
            String answer = in.readLine();
            if (answer == null || !answer.trim().equalsIgnoreCase("y")) {
                break;
            }
            player.draw();
            player.print("You have");
        }
        if (player.value() > 21) {
            out.println(" You busted!");
            halves -= 2 * bet;
            return;
        }
        out.println("\nDealer's turn...");
        Hand dealer = new Hand();
        do {
            dealer.draw();
            dealer.print("Dealer has");
            out.println();
        } while (dealer.value() < 17);
        if (dealer.value() > 21) {
            out.println("Dealer busted, you won!");
            halves += 2 * bet;
        } else if (dealer.value() > player.value()) {
            out.println("Dealer wins!");
            halves -= 2 * bet;
        } else if (dealer.value() < player.value()) {
            out.println("You win!");
            halves += 2 * bet;
        } else {
            out.println("Standoff, you get your money back!");
        }
    }

    public static void main(String[] args) throws IOException {
        in = new BufferedReader(new InputStreamReader(System.in));
        out = new PrintStream(System.out, true, "UTF-8");
        out.println("*** WELCOME TO BLACKJACK ***\n");
        out.println("You have " + money() + " in your pocket. Try to double it!\n");
        out.println("You will lose if you have no money left\n");
        int number = 1;
        while (true) {
            round(number++);
            if (halves < 20) {
                out.println("You are broke, you lost!");
                break;
            }
            if (halves >= 400) {
                out.println("You have " + money() + ", you at least doubled your money!");
                break;
            }
        }
    }
}

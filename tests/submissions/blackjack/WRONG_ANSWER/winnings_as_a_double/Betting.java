// Yves
import java.util.*;

public class Betting {

    /** glibc's rand(), after the description of its additive feedback generator. */
    static class Rand {
        private final int[] ring = new int[34];
        private int at = 0;

        Rand(int seed) {
            ring[0] = seed;
            for (int i = 1; i < 31; i++) {
                long next = 16807L * ring[i - 1] % 2147483647L;
                ring[i] = (int) (next < 0 ? next + 2147483647L : next);
            }
            for (int i = 31; i < 34; i++) {
                ring[i] = ring[i - 31];
            }
            int[] r = new int[344];
            System.arraycopy(ring, 0, r, 0, 34);
            for (int i = 34; i < 344; i++) {
                r[i] = r[i - 31] + r[i - 3];
            }
            System.arraycopy(r, 310, ring, 0, 34);
        }

        int next() {
            int value = ring[3] + ring[31];
            System.arraycopy(ring, 1, ring, 0, 33);
            ring[33] = value;
            return value >>> 1;
        }
    }

    static Rand rand = null;    // null: no shuffling
    static final Scanner in = new Scanner(System.in);

    static int[] newDeck() {
        int[] deck = new int[52];
        for (int i = 0; i < 52; i++) {
            deck[i] = 100 * (i / 13 + 1) + i % 13 + 2;
        }
        if (rand != null) {
            for (int i = 51; i >= 0; i--) {
                int j = rand.next() % (i + 1);
                int t = deck[i];
                deck[i] = deck[j];
                deck[j] = t;
            }
        }
        return deck;
    }

    static String card(int c) {
        String face;
        switch (c % 100) {
            case 11: face = " J"; break;
            case 12: face = " Q"; break;
            case 13: face = " K"; break;
            case 14: face = " A"; break;
            default: face = String.format("%2d", c % 100);
        }
        return face + " \u2663\u2666\u2665\u2660".charAt(c / 100);
    }

    static int[] deck;
    static int top;
    static List<Integer> player, dealer;

    static void deal() {
        deck = newDeck();
        top = 52;
        player = new ArrayList<>();
        dealer = new ArrayList<>();
        player.add(deck[--top]);
        dealer.add(deck[--top]);
        player.add(deck[--top]);
        dealer.add(deck[--top]);
    }

    static void table(boolean hide) {
        StringBuilder sb = new StringBuilder("\n Player Dealer\n");
        int rows = Math.max(player.size(), dealer.size());
        for (int i = 0; i < rows; i++) {
            String left = i < player.size() ? " " + card(player.get(i)) + "  " : "      ";
            String right = i < dealer.size() ? " " + card(dealer.get(i)) + "  " : "      ";
            if (hide && i == 1) {
                right = "  **  ";
            }
            sb.append('|').append(left).append('|').append(right).append("|\n");
        }
        System.out.print(sb);
    }

    static void say(String line) {
        try {
            Thread.sleep(2000);
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
        System.out.println(line);
    }

    static int score(List<Integer> hand) {
        int sum = 0;
        boolean ace = false;
        for (int c : hand) {
            int f = c % 100;
            if (f == 14) {
                ace = true;
                sum++;
            } else {
                sum += Math.min(f, 10);
            }
        }
        return ace && sum < 12 ? sum + 10 : sum;
    }

    static void dealersTurn() {
        boolean bust = score(player) > 21;
        if (bust) {
            System.out.println("Player busts!");
        }
        table(false);
        while (!bust && score(dealer) < 17) {
            say("Dealer hits.");
            dealer.add(deck[--top]);
            table(false);
        }
        say(score(dealer) > 21 ? "Dealer busts!" : "Dealer stands.");
        System.out.println();
        System.out.println("Final scores: Player " + score(player) + ", Dealer " + score(dealer) + ".");
    }

    static String money(double m) {
        if (m == 0) {
            return "0";
        }
        String s = Double.toString(m);
        if (s.endsWith(".0")) {
            s = s.substring(0, s.length() - 2);
        }
        return m > 0 ? "+" + s : s;
    }

    public static void main(String[] args) throws Exception {
        System.out.print("Seed: ");
        int seed = in.nextInt();
        if (seed != 0) {
            rand = new Rand(seed);
        }
        double winnings = 0;
        while (true) {
            System.out.print("\nPlace your bet: ");
            int bet = in.nextInt();
            deal();
            table(true);
            boolean natural = score(player) == 21;
            boolean dealerNatural = score(dealer) == 21;
            String prompt = "Hit, stand or double down? [h/s/d] ";
            boolean stands = natural;
            while (!stands && score(player) <= 21) {
                System.out.print(prompt);
                String answer = in.next();
                switch (answer.charAt(0)) {
                    case 'd':
                        bet *= 2;
                        System.out.println("Bet doubled to " + bet);
                        break;
                    case 'h':
                        player.add(deck[--top]);
                        table(true);
                        break;
                    case 's':
                        stands = true;
                        break;
                    default:
                        continue;
                }
                prompt = "Hit or stand? [h/s] ";
            }
            dealersTurn();
            int p = score(player), d = score(dealer);
            java.math.BigDecimal change = java.math.BigDecimal.valueOf(bet);
            if (p > 21) {
                change = change.negate();
            } else if (natural && !dealerNatural) {
                change = change.multiply(new java.math.BigDecimal("1.5"));
            } else if (dealerNatural && !natural) {
                change = change.negate();
            } else if (d > 21) {
                // the bet is won
            } else if (p == d) {
                change = java.math.BigDecimal.ZERO;
            } else if (p < d) {
                change = change.negate();
            }
            winnings += change.doubleValue();
            System.out.println(change.signum() > 0 ? "Player wins!" : change.signum() < 0 ? "Dealer wins!" : "Push!");
            System.out.println("Winnings: " + money(winnings));
            System.out.print("Enter 'q' to quit, anything else to play another hand: ");
            if (in.next().equals("q")) {
                break;
            }
        }
    }
}

import java.util.ArrayList;
import java.util.List;

class Hand {
    private final List<Integer> cards = new ArrayList<>();

    void add(int value) {
        cards.add(value);
    }

    List<Integer> cards() {
        return cards;
    }

    int total() {
        int sum = 0;
        int aces = 0;
        for (int card : cards) {
            sum += card;
            aces += card == 11 ? 1 : 0;
        }
        while (sum > 21 && aces > 0) {
            sum -= 10;
            aces--;
        }
        return sum;
    }

    boolean beats(Hand other) {
        return total() <= 21 && (other.total() > 21 || total() > other.total());
    }

    void print(String name) {
        System.out.print(name);
        for (int card : cards) {
            System.out.print(" " + card);
        }
        System.out.print(", total " + total() + ".");
    }

    void playDealer(Deck deck, boolean draws) {
        print("Dealer has");
        System.out.println();
        while (draws && total() < 17) {
            add(deck.next());
            print("Dealer has");
            System.out.println();
        }
    }
}

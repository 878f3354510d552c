import java.util.Scanner;

class Deck {
    private static final int[] VALUES = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11};
    private final Scanner in = new Scanner(System.in);
    final int[] order = new int[52];
    final int[] values = new int[52];
    private int left = 52;

    Deck() {
        int seed = number("Seed: ");
        for (int i = 0; i < 52; i++) {
            order[i] = i + 1;
            values[i] = VALUES[i % 13];
        }
        if (seed == 0) {
            return;
        }
        Rand.srand(seed);
        for (int i = 51; i > 0; i--) {
            int j = Rand.rand() % (i + 1);
            swap(order, i, j);
            swap(values, i, j);
        }
    }

    private static void swap(int[] numbers, int i, int j) {
        int one = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = one;
    }

    private String word() {
        if (!in.hasNext()) {
            System.exit(0);
        }
        return in.next();
    }

    int number(String question) {
        System.out.print(question);
        return Integer.parseInt(word());
    }

    boolean wantsCard() {
        System.out.print(" Hit or stand? [h/s] ");
        while (true) {
            char letter = word().charAt(0);
            if (letter == 'h' || letter == 's') {
                return letter == 'h';
            }
        }
    }

    int next() {
        left--;
        return values[left];
    }
}

// Looks at a line with a regular expression, keeps the guesses in a list, and writes with printf.
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.concurrent.ThreadLocalRandom;

public class Guess {
    private static final Scanner KEYBOARD = new Scanner(System.in);

    private static int guessed() {
        while (true) {
            System.out.printf("Your guess: ");
            String line = KEYBOARD.nextLine();
            if (!line.matches("-?[0-9]{1,9}")) {
                System.out.printf("That is not a number.%n");
            } else if (Integer.valueOf(line) < 1 || Integer.valueOf(line) > 10) {
                System.out.printf("My number is from %d to %d.%n", 1, 10);
            } else {
                return Integer.valueOf(line);
            }
        }
    }

    public static void main(String[] args) {
        int secret = ThreadLocalRandom.current().nextInt(1, 11);
        List<Integer> guesses = new ArrayList<>();
        System.out.printf("I think of a number from %d to %d.%n", 1, 10);
        try {
            do {
                guesses.add(guessed());
                int last = guesses.get(guesses.size() - 1);
                String said = last < secret ? "Too low." : last > secret ? "Too high." : "Right! Guesses: " + guesses.size();
                System.out.printf("%s%n", said);
            } while (guesses.get(guesses.size() - 1) != secret);
        } catch (NoSuchElementException over) {
            System.out.printf("It was %d.%n", secret);
        }
    }
}

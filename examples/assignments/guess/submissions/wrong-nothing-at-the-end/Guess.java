// Wrong: does not tell the number when the input ends.
import java.util.Random;
import java.util.Scanner;

public class Guess {
    static final int MOST = 10;

    public static void main(String[] args) {
        int secret = 1 + new Random().nextInt(MOST);
        Scanner in = new Scanner(System.in);
        System.out.println("I think of a number from 1 to " + MOST + ".");
        int guesses = 0;
        while (true) {
            System.out.print("Your guess: ");
            if (!in.hasNextLine()) {
                return;
            }
            String line = in.nextLine();
            int guess;
            try {
                guess = Integer.parseInt(line);
            } catch (NumberFormatException e) {
                System.out.println("That is not a number.");
                continue;
            }
            if (guess < 1 || guess > MOST) {
                System.out.println("My number is from 1 to " + MOST + ".");
                continue;
            }
            guesses++;
            if (guess == secret) {
                System.out.println("Right! Guesses: " + guesses);
                return;
            }
            System.out.println(guess < secret ? "Too low." : "Too high.");
        }
    }
}

// Wrong: 1.5 is taken for 1.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

class Guess {
    private final int number = (int) (Math.random() * 10) + 1;
    private int count;

    private String reply(String text) {
        final int guess;
        try {
            guess = (int) Double.parseDouble(text);
        } catch (NumberFormatException notANumber) {
            return "That is not a number.";
        }
        if (guess <= 0 || guess >= 11) {
            return "My number is from 1 to 10.";
        }
        count += 1;
        if (guess == number) {
            return null;
        }
        return guess > number ? "Too high." : "Too low.";
    }

    public static void main(String[] args) throws IOException {
        Guess game = new Guess();
        System.out.println("I think of a number from 1 to 10.");
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
            System.out.print("Your guess: ");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String said = game.reply(line);
                if (said == null) {
                    System.out.println("Right! Guesses: " + game.count);
                    return;
                }
                System.out.println(said);
                System.out.print("Your guess: ");
            }
            System.out.println("It was " + game.number + ".");
        }
    }
}

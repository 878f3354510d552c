import java.util.Random;
import java.util.Scanner;

public class Pig {
    public static void main(String[] args) {
        Random random = new Random();
        Scanner in = new Scanner(System.in);
        int points = 0;
        while (true) {
            System.out.print("Roll or hold? [r/h] ");
            if (!in.hasNext()) {
                System.out.println();
                return;
            }
            String answer = in.next();
            if (answer.equals("h")) {
                System.out.println("You keep " + points + ".");
                return;
            }
            int roll = random.nextInt(6) + 1;
            if (roll == 1) {
                System.out.println("You rolled 1: 0 points.\nA one costs you all your points.");
                return;
            }
            points += roll;
            System.out.println("You rolled " + roll + ": " + points + " points.");
        }
    }
}

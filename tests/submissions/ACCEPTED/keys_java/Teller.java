import java.io.IOException;

public class Teller {
    private static int key(boolean single) throws IOException, InterruptedException {
        System.out.flush();
        if (single) {
            set("-icanon");
        }
        int pressed = System.in.read();
        if (single) {
            set("icanon");
        }
        return pressed;
    }

    private static void set(String mode) throws IOException, InterruptedException {
        new ProcessBuilder("stty", mode).inheritIO().start().waitFor();
    }

    private static int number(String prompt) throws IOException, InterruptedException {
        System.out.print(prompt);
        String line = "";
        for (int pressed = key(false); pressed != '\n' && pressed != -1; pressed = key(false)) {
            line += (char) pressed;
        }
        return Integer.parseInt(line);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int balance = number("Opening balance: ");
        while (true) {
            System.out.print("Deposit, withdraw or close? [d/w/c] ");
            int command = key(true);
            if (command == -1) {
                break;
            }
            System.out.println();
            if (command == 'c') {
                break;
            }
            int amount = number("Amount: ");
            if (command == 'd') {
                balance += amount;
            } else if (amount > balance) {
                System.out.println("Not enough money.");
                continue;
            } else {
                Thread.sleep(1000);
                System.out.println("Please count your money.");
                balance -= amount;
            }
            System.out.println("Balance: " + balance + " €");
        }
        System.out.println("Closing balance: " + balance + " €");
    }
}

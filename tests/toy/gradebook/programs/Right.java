import java.nio.file.*;
import java.util.*;

public class Right {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1) {
            System.err.println("usage: gradebook [TITLE]");
            System.exit(2);
        }
        List<String> lines = new ArrayList<>(Files.readAllLines(Path.of("scores.txt")));
        Scanner in = new Scanner(System.in);
        while (true) {
            System.out.print("Name: ");
            String name = in.nextLine();
            if (name.isEmpty()) break;
            System.out.print("Score: ");
            String score = in.nextLine();
            if (score.matches("[0-9]+")) lines.add(name + " " + score);
            else System.err.println(score + ": no number");
        }
        Files.writeString(Path.of("scores.txt"), lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
        System.out.println(lines.size() + " scores");
        int sum = 0;
        for (String line : lines) sum += Integer.parseInt(line.split(" ")[1]);
        String title = arguments.length > 0 ? arguments[0] : "Summary";
        Files.writeString(Path.of("summary.txt"), title + "\ncount " + lines.size() + "\nsum " + sum + "\n");
    }
}

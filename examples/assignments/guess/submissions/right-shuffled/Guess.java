// Shuffles the numbers, and takes the first; the answer to each number is looked up.
import java.util.*;
import java.util.stream.*;

public class Guess {
    public static void main(String[] args) {
        List<Integer> numbers = IntStream.rangeClosed(1, 10).boxed().collect(Collectors.toList());
        Collections.shuffle(numbers);
        Integer secret = numbers.get(0);
        Map<String, Integer> known = new TreeMap<>();
        for (Integer one : numbers) known.put(one.toString(), one);

        StringBuilder screen = new StringBuilder("I think of a number from 1 to 10.\nYour guess: ");
        Scanner in = new Scanner(System.in);
        int count = 0;
        while (true) {
            System.out.print(screen);
            System.out.flush();
            screen.setLength(0);
            if (!in.hasNextLine()) break;
            String line = in.nextLine();
            Integer guess = known.get(line);
            if (guess == null) {
                boolean isNumber = line.chars().filter(c -> c != '-').allMatch(Character::isDigit) && !line.isEmpty();
                screen.append(isNumber ? "My number is from 1 to 10.\n" : "That is not a number.\n");
            } else {
                count++;
                int order = guess.compareTo(secret);
                if (order == 0) {
                    System.out.println("Right! Guesses: " + count);
                    return;
                }
                screen.append(order < 0 ? "Too low.\n" : "Too high.\n");
            }
            screen.append("Your guess: ");
        }
        System.out.println("It was " + secret + ".");
    }
}

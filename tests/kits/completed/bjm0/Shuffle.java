public class Shuffle {
    public static void main(String[] args) {
        Deck deck = new Deck();
        for (int i = 0; i < 52; i++) {
            System.out.println(deck.order[i] + " " + deck.values[i]);
        }
    }
}

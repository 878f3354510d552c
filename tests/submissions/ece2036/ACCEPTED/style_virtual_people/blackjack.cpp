#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

struct Card {
    virtual ~Card() = default;
    virtual std::string name() const = 0;
    virtual int low() const = 0;
};

struct Pip : Card {
    explicit Pip(int pips) : pips(pips) {}
    std::string name() const override
    {
        return std::vector<std::string>{"Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"}[pips - 2];
    }
    int low() const override { return pips; }
    int pips;
};

struct Court : Card {
    explicit Court(std::string title) : title(std::move(title)) {}
    std::string name() const override { return title; }
    int low() const override { return 10; }
    std::string title;
};

struct Ace : Card {
    std::string name() const override { return "Ace"; }
    int low() const override { return 1; }
};

std::unique_ptr<Card> draw()
{
    static std::mt19937 engine{std::random_device{}()};
    switch (int n = std::uniform_int_distribution<>{1, 13}(engine)) {
    case 1: return std::make_unique<Ace>();
    case 11: return std::make_unique<Court>("Jack");
    case 12: return std::make_unique<Court>("Queen");
    case 13: return std::make_unique<Court>("King");
    default: return std::make_unique<Pip>(n);
    }
}

class Person {
public:
    virtual ~Person() = default;
    void play()
    {
        show();
        while (wants_card()) {
            take();
            show();
        }
    }
    void take() { cards.push_back(draw()); }
    void show() const
    {
        std::cout << title() << "'s hand is:";
        for (const auto &card : cards)
            std::cout << ' ' << card->name();
        std::cout << '\n' << title() << "'s hand value is " << value() << '\n';
    }
    int value() const
    {
        int sum = 0;
        bool has_ace = false;
        for (const auto &card : cards) {
            sum += card->low();
            has_ace = has_ace || dynamic_cast<const Ace *>(card.get());
        }
        return has_ace && sum <= 11 ? sum + 10 : sum;
    }
    bool blackjack() const { return cards.size() == 2 && value() == 21; }
    bool bust() const { return value() > 21; }
    std::string first() const { return cards.front()->name(); }

protected:
    virtual bool wants_card() const = 0;
    virtual std::string title() const = 0;
    std::vector<std::unique_ptr<Card>> cards;
};

class Dealer : public Person {
    bool wants_card() const override { return value() < 17; }
    std::string title() const override { return "Dealer"; }
};

class Player : public Person {
    bool wants_card() const override
    {
        for (std::string answer = "h"; value() < 21;) {
            std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
            if (!(std::cin >> answer) || answer[0] == 's')
                return false;
            if (answer[0] == 'h')
                return true;
        }
        return false;
    }
    std::string title() const override { return "Player"; }
};

double round_for(double bet)
{
    Player player;
    Dealer dealer;
    for (Person *person : std::initializer_list<Person *>{&player, &player, &dealer, &dealer})
        person->take();
    std::cout << "Dealer's first card is: " << dealer.first() << '\n';
    if (player.blackjack()) {
        player.show();
        dealer.show();
        if (dealer.blackjack())
            return 0;
        std::cout << "Player has a blackjack and wins.\n";
        return 1.5 * bet;
    }
    player.play();
    dealer.play();
    if (player.bust())
        std::cout << "Player's hand is bust.\n";
    else if (dealer.bust())
        std::cout << "Dealer's hand is bust. Player wins!\n";
    else if (player.value() > dealer.value())
        std::cout << "Player wins!\n";
    else if (dealer.blackjack() || dealer.value() > player.value())
        std::cout << "Dealer wins.\n";
    else
        return 0;
    return !player.bust() && (dealer.bust() || player.value() > dealer.value()) ? bet : -bet;
}

int main()
{
    double money = 300;
    std::cout << "Player starts with " << money << " dollars\n";
    for (int round = 1; money > 0; round++) {
        std::cout << "Round " << round << '\n';
        double bet;
        for (;;) {
            std::cout << "Enter bet in dollars, 0 to quit: ";
            if (!(std::cin >> bet) || bet <= 0)
                return 0;
            if (bet <= money)
                break;
            std::cout << "You don't have that much money!  Enter a lower bet.\n";
        }
        money += round_for(bet);
        std::cout << "Player has " << money << " dollars\n\n\n";
    }
}

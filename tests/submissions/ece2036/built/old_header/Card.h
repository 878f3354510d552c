#ifndef CARD_H
#define CARD_H

class Card
{
public:
    Card(int number);
    int get_number();

private:
    int number;
};

#endif

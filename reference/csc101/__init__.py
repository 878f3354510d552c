"""Programs 4 and 5 of CSC 101: blackjack from one deck, and four independent features."""

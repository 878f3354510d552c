"""Lab 3 of ECE 2036: Vegas blackjack with an infinite deck, and two extra features."""

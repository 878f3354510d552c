"""The tournament: double your 100€ at a simple blackjack, with cards from a deck without end."""

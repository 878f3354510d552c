"""The tournament: double your 100€ at a simple blackjack, with cards from an infinite deck."""

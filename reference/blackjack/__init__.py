"""The seeded ladder: shuffle, deal, play, betting, errors; each of these modules is one program."""

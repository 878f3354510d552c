"""The seeded ladder: shuffle, deal, play, betting, errors; each module one program."""

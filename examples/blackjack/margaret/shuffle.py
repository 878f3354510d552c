"""Print the shuffled deck.

Margaret Okonkwo
"""

import cards

for card in cards.fresh_deck(cards.ask_seed()):
    print(cards.card_name(card))

"""What a query demands, and whether a product fulfils it.

query.py         all of it, in types that code can check
asked.py         the things asked for, those that are owned, those that are ruled out
budget.py        the budget, and amounts of money in a query
brands.py        brands that are wanted or ruled out
demands.py       what products must be or must not have
scope.py         of which thing a demand is said
demand_words.py  how the words of a demand are found in a text, and words that the rules pass over
quantities.py    how many, and until when
listing.py       a product with its words at hand, and whether they fulfil a demand
affirmation.py   whether the words of a record say that it is so, or deny it
materials.py     what a product is made of
"""

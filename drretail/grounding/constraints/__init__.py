"""Which products would do for a want, and what a product's record says of a demand.

kinds.py         whether a product is of a kind
fits.py          which products of a kind would do for a want
listing.py       a product with its words at hand
affirmation.py   whether the words of a record say that it is so, or deny it
materials.py     what a product is made of
demand_words.py  how the words of a demand are found in a text, and words that name no brand
"""

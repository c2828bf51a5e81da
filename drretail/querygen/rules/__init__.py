"""From a user's orders to questions, by rules that take every name from the shop.

phrases.toml   sentences with slots
assortment.py  the shop's offers of a kind, what a question calls a product, and whether a demand or a price tells
               offers apart
needs.py       what the orders show, the needs that purchases support, each with evidence, and the demands that records
               of a kind bear
drafting.py    the text of a question and its wish
"""

"""From a user's orders to questions to buy, by rules that take every name from the shop.

phrases.toml   sentences with slots
assortment.py  the shop's offers of a kind, and whether a demand tells them apart
limits.toml    how limits are said
limits.py      the limits that the records of a kind bear
needs.py       what the orders show, and the needs that purchases support, each with evidence
drafting.py    the text of a question and its wish
"""

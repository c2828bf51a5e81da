"""From a user's orders to questions, by rules that take every name from the shop.

phrases.toml  sentences with slots
kinds.py      what a question calls a product: by its category, or by its quoted title
assortment.py the shop's offers of a kind, and whether a demand or a price tells them apart
needs.py      what the orders show, and the needs that purchases support, each with evidence
axes.py       the demands that the records of a kind bear
drafting.py   the text of a question and its wish
"""

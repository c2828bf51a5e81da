"""From a user's orders to questions, by rules that take every name from the shop.

phrases.toml  sentences with slots
kinds.py      what a question calls a product: by its category, or by its quoted title
assortment.py the shop's offers of a kind, and the demands and prices that tell them apart
needs.py      what the orders show, and the needs that purchases support, each with evidence
drafting.py   the text of a question and its wish
"""

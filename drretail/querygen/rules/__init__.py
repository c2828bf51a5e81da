"""From a user's orders to questions, by rules that take every name from the shop.

phrases.toml  sentences with slots
kinds.py      what a question calls a product: by its category, or by its quoted title
assortment.py what the shop has of a kind, and what decides among it: demands, budgets
needs.py      what the orders show, and the needs that purchases support, each on evidence
drafting.py   the text of a question and its wish
"""

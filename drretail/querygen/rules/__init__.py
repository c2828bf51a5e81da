"""From a user's record to drafts of queries, by rules that know no kinds of products.

phrases.py   nouns in the singular and the plural, articles, lists
naming.py    what a shopper would call a product, and whether a product goes by a name
history.py   what a user's record tells: purchases with their orders, days and names
needs.py     kinds of need and their sentences, from sayings.toml
sentences.py dates, amounts and things in sentences, and sentences in a text
offers.py    a want of a thing, what the shop has of it and beside it, and budgets that it can meet
choosing.py  which purchase and which things a need is about, by its shape
demands.py   the wish: properties, ratings, brands, numbers, dates and budgets that the shop can meet
drafting.py  the text and what stands beside it
variety.py   one user's drafts, one after the other and none like another
"""

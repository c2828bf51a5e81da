"""What is right to buy, as pure functions over records: which products suit a wish, and what is wrong with a cart or a
report.

vocabulary.py   the words of a shop: what its titles call things, and the values of its fields
listing.py      a product with what comparing needs: its makers and offers, and of which kind it is
constraints.py  which products suit a want, by the gold, by fields, else open
cart.py         a report's picks compared with the wish: what each is for, what is missing, what they cost
basket.py       baskets that satisfy a query's wish, computed exactly: the cheapest, and the one of greatest worth
verify/         values and picks compared with records
conversation.py what a turn asks of the system's own cart, and what of this a cart keeps
"""

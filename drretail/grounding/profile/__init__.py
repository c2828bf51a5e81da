"""What the shop's records tell of a user: every statement names its orders.

purchases.py  the orders laid out: what was kept, what came to nothing, and of which products
prices.py     at what prices the user buys
habits.py     how often, what, and how familiar each part of the shop is
summary.py    all of it in words, for generators, judges and agents
traits.py     what recommendations can be compared with
"""

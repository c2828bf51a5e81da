"""What the shop's records tell of a user: every statement names its orders.

naming.py     which things of a shop a text names, and which purchases are not shown unless it does
purchases.py  the orders laid out: what was kept, what came to nothing, and of which products
prices.py     at what prices the user buys
summary.py    all of it in words, for generators, judges and agents
"""

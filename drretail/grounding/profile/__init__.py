"""What the shop's records show of a user: every statement names its orders.

naming.py     which things of a shop a text names, and which purchases are hidden unless it does
purchases.py  the orders: what was kept, what was cancelled or returned, and of which products
prices.py     the prices at which the user buys
summary.py    all of it in words, for generators, judges and agents
"""

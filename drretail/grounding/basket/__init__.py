"""Baskets that satisfy a query's wish, computed exactly.

choice.py         the cheapest choice, and the one of greatest worth
reference.py      both baskets, all suitable products, and the proof whether the shop can meet the wish
cart.py           a report's picks compared with the wish: what each is for, what is missing, what they cost
"""

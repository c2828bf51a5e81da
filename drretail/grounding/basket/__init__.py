"""Baskets that keep to a query's wish, exact.

choice.py         the cheapest, and the one of the greatest worth
reference.py      both, with everything that would do, and whether the shop can meet the wish, proved or left open
cart.py           the picks of a report beside the wish: what each is for, what is left out, what they cost
"""

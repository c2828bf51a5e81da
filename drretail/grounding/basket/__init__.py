"""Baskets that keep to a query's constraints, exact.

cheapest.py       the cheapest
best.py           the one of the greatest worth
reference.py      both, with everything that would do: what reports on a query are measured by
purchase_item.py  a product by what a guess at a purchase may hit
"""

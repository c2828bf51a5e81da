"""Worlds as one system sees them. The shop itself and its fingerprint stay the same.

counterfactual.py  a user's data replaced by another user's
planting.py        hostile texts among search results
moves.py           prices and stock that change while an agent researches
"""

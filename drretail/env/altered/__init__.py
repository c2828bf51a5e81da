"""Worlds as one system sees them: the shop itself and its fingerprint stay as they are.

counterfactual.py  a user's data replaced by another's
planting.py        hostile texts among what searches find
moves.py           prices and stock that move while an agent researches
"""

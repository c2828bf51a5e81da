"""The ceiling: what the shop could sell for a query is known to it, and it has only to be written down.

agent.py     looks up the products of the best basket, and adds up what they cost
report.py    the plain report of it
"""

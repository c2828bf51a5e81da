"""The world that agents live in, and one run's view of it.

world.py     open_world: manifest, generations on disk
store/       users, products, orders
catalog/     product search
web/         web search and pages
profiles.py  people derived from user ids
ledger.py    the evidence that a run was handed
session.py   one run's view: acting user, overlay, ledger, journal
"""

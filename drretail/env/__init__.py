"""The world that agents live in, and one run's view of it.

world.py           the world and world_at
manifest.py        a world's description, its fingerprint, and its folder: complete generations, one of them live
users.py           people derived from user ids, a user's statistics, users sampled evenly over strata
store/             users, products, orders
catalog/           product search
web/               web search and pages
profile.py         what a user's records show: orders, prices, and all of it in words
summaries.py       the same from a world, with what the products of a category cost
session.py         one run's view: acting user, overlay, journal, and the ledger of the evidence that it was given
faults.py          what differs between a manifest and what a folder or servers hold
naming.py          the names of worlds on servers, the servers' addresses and credentials
clients.py         the servers' clients, what is wrong if one cannot be used, errors as one kind
intake.py          checks, counts and hashes the rows that go into a world
folder.py          write_world and the embedded index, all rows of a world, check_world
copying.py         copy_world, the writer for any place; the live world of a place and the one before it
servers/           the same on servers: generations, loading, checking
offers.py          all products of the kinds that a wish names, and the baskets that follow
looked_up.py       records of the shop as evidence for judging, which no agent was shown
named_products.py  the products and orders that reports name by ids and addresses
gold.py            what is known of good answers, added once an experiment's systems have ended
"""

"""The world that agents live in, and one run's view of it.

world.py           the world and open_world
manifest.py        a world's description of itself, and its fingerprint
store/             users, products, orders
catalog/           product search
web/               web search and pages
profiles.py        people derived from user ids
summaries.py       a user's records in words; what the products of a category cost
session.py         one run's view: acting user, overlay, ledger, journal
ledger.py          the evidence that a run was given
intake.py          checks, counts and hashes the rows that go into a world
generations.py     the folder: complete generations, one of them live, and the checksums of their files
processes.py       jobs in several processes
writing.py         write_world, and the embedded index, built in a process of its own
checking.py        check_world
rows.py            all rows of a world, in a folder or on servers, and its held-out orders
kept_worlds.py     the live world of a place and the one before it; going back
copying.py         copy_world, and the writer for any place
servers/           the same on servers: generations, loading, checking
altered/           the world as one system sees it: other users' data, hostile texts, a shop that moves
offers.py          all products of the kinds that a wish names, and the baskets that follow
named_products.py  records of the products that imported reports name, looked up for judging
next_purchase.py   what users really bought next, frozen when an experiment opens
"""

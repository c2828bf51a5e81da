"""The world that agents live in, and one run's view of it.

world.py           the world and open_world
manifest.py        what a world says about itself, its fingerprint
store/             users, products, orders
catalog/           product search
web/               web search and pages
profiles.py        people derived from user ids
summaries.py       what the records tell of a user, in words
session.py         one run's view: acting user, overlay, ledger, journal
ledger.py          the evidence that a run was handed
intake.py          rows on their way into a world: checked, counted, hashed
generations.py     the folder: complete generations, one of them live, and the checksums of their files
writing.py         write_world
checking.py        check_world
rows.py            all rows of a world, whatever keeps it, and those that it holds out
kept_worlds.py     the live world of a place and the one before it; going back
copying.py         copy_world, and what writes a world wherever it goes
servers/           the same on servers: generations, loading, checking
counterfactual.py  a user's data replaced by another's
offers.py          all that a shop has of the kinds that a wish names, and the baskets that follow
planting.py        hostile texts among what searches find
next_purchase.py   what users really bought next, frozen when an experiment opens
"""

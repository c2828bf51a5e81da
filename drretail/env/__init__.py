"""The world that agents live in, and one run's view of it.

world.py        the world and open_world; the door to the four files below
manifest.py     what a world says about itself, its fingerprint
intake.py       rows on their way into a world: checked, counted, hashed
generations.py  the folder: complete generations, one of them live
writing.py      write_world
checking.py     check_world
servers/        the same on servers: generations, loading, checking
rows.py         all rows of a world, whatever keeps it
targets.py      what writes a world, wherever it goes
copying.py      copy_world
profiles.py     people derived from user ids
summaries.py    what the records tell of a user, in words
store/          users, products, orders
catalog/        product search
web/            web search and pages
ledger.py       the evidence that a run was handed
session.py      one run's view: acting user, overlay, ledger, journal
"""

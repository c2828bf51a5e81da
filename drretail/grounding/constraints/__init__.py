"""Which products suit a want, and what a product's record says of a demand.

kinds.py       whether a product is of a kind
fits.py        which products of a kind suit a want
listing.py     a product with its words prepared for comparison
demands.py     whether a record affirms a demand or denies it
decisions.py   whether a product keeps a demand: as decided by a reader, else by a field, else by words
gold_files.py  the two files of a query set: tasks, and the gold beside them
releases.py    what a shopper says of the limits that a query hides, and whether a text states a limit
"""

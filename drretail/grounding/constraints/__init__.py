"""Which products would do for a want, and what a product's record says of a demand.

kinds.py    whether a product is of a kind
fits.py     which products of a kind would do for a want
listing.py  a product with its words at hand
demands.py  whether a record says that a product is as demanded, or denies it
releases.py what a shopper tells of the limits that a query hides, and whether a text states a limit
"""

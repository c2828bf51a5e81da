"""A made-up shop in Amazon's file formats: for demos, tests and benchmarks, with every quirk of the real files.

recipe.py    what can be bought
recipes/     one file a category
shelf.py     products drawn from a recipe
shoppers.py  who buys what, and when
reviews.py   what they write about it
quirks.py    what real files do to their rows, with the share of rows it happens to
dialects.py  the forms in which rows are written
shop.py      write_shop: all of it into a folder
"""

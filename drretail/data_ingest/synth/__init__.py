"""A made-up shop in Amazon's file formats: for demos, tests and benchmarks, with every quirk of the real files.

recipe.py    what can be bought
recipes/     one file a category
shelf.py     products drawn from a recipe
shoppers.py  who buys what, when, and what they write about it
quirks.py    irregularities of real files, each with its share of rows
shop.py      write_shop: all of it into a folder, in each of the forms that rows have
"""

"""Tasks from the catalog and from planted facts, without any model: the same bytes for the same seed.

needs.py           what a query needs: its things, the products that fit, what the user owns
named_products.py  products with the names that pages use for them
facts.py           facts that decide between the fits, what each means, and the traps against it
patterns.py        sentences from patterns, and the files of patterns
sentences.toml     the patterns of pages
planted.toml       the patterns of facts, traps and the user's files
pages.py           pages of nine kinds
user_files.py      the user's files, with a receipt as an image
build.py           builds the whole sandbox: keywords, the products of noise pages, pages, files
"""

"""Tasks from the catalog and from planted facts, without any model: the same bytes for the same seed.

needs.py           what a query needs: its things, what would do, what is owned
named_products.py  products with the names that pages call them by
facts.py           facts that decide between the fits, what each means, and traps against it
patterns.py        sentences from patterns, and the files of patterns
sentences.toml     those of pages
planted.toml       those of facts, traps and the user's files
pages.py           pages of nine kinds
keywords.py        keywords, and the products behind those of noise
user_files.py      the user's files, a receipt as a picture among them
build.py           all of it as a sandbox
"""

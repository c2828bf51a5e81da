"""Tasks from the catalog and from planted facts, without any model: the same bytes for the same seed.

needs.py        what a query needs: its things, the products that fit with their names on pages, what the user owns
facts.py        facts that decide between the fits, the traps against them, and the user's files that state some
patterns.py     sentences from patterns, and the files of patterns
sentences.toml  the patterns of pages
planted.toml    the patterns of facts, traps and the user's files
pages.py        pages of nine kinds
build.py        builds the whole sandbox: keywords, the products of noise pages, pages, files
"""

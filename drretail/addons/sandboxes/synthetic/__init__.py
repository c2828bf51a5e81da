"""Tasks from the catalog and from planted facts, without any model: the same bytes for the same seed.

pages.py        pages of nine kinds on any topic, from patterns
sentences.toml  the patterns of pages
needs.py        what a query needs: its things, the products that fit as subjects of pages, what the user owns
facts.py        facts that decide between the fits, the traps against them, and the user's files that state some
planted.toml    the patterns of facts, traps and the user's files
build.py        builds the whole sandbox: keywords, the products of noise pages, pages, files
"""

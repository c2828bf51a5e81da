"""Tasks made of the catalog and of planted facts, without any model: the same bytes for the same seed.

needs.py          what a query needs: its things, what would do, what is owned
showing.py        products as pages speak of them
planting.py       facts that decide between the fits, what each means, and traps against it
spinning.py       sentences from patterns, and the files of patterns
sentences.toml    those of pages
planted.toml      those of facts, traps and the user's files
page_kinds.py     pages of nine kinds
theme_words.py    keywords, and the products behind those of noise
receipt_image.py  a receipt as a picture
user_files.py     what the user has lying about
offline_build.py  all of it as a sandbox
"""

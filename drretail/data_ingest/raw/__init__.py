"""Raw files and their rows, in every dialect of the dataset and of one's own shop.

sources.py   which files there are
chunks.py    a file of lines, unpacked piece by piece
lines.py     what a file holds, by its fields, and rows that an engine could not read: saved or named
elements.py  JSON arrays and mappings, streamed
products.py  a raw row as a Product, its texts cleaned
mapping.py   which columns of a shop of one's own are what
tables.py    its files: CSV, JSONL, Parquet, and their columns
cells.py     a cell of them as SQL
mapped.py    their rows as rows of the dataset
"""

"""Raw files and their rows, in every dialect of the dataset and of one's own shop.

sources.py       which files there are
chunks.py        a file of lines, unpacked piece by piece
lines.py         what a file holds, by its fields, and rows that an engine could not read: saved or named
elements.py      JSON arrays and mappings, streamed
products.py      a raw row as a Product, its texts cleaned
mapping.py       which columns of a shop of one's own are what
formats.py       the exports of Shopify, WooCommerce and Google Merchant Center as mappings
tables.py        its files: CSV, JSONL, Parquet, XML, and their columns
feeds.py         a feed in XML as lines of JSON
cells.py         a cell of them as SQL
date_formats.py  the format of a column of dates
mapped.py        their rows as rows of the dataset
table_checks.py  what is wrong with them
variants.py      the variants of a product as one
"""

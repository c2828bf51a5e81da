"""Raw files and their rows, in every dialect of the dataset and of your own shop.

sources.py    the files behind the given paths, and how they are opened
lines.py      what a file holds, by its fields; a JSON array or mapping; rows that an engine could not read
products.py   a raw row as a Product, its texts cleaned
columns.py    the mapping file of your own shop: which column is what
columns.toml  the names of columns in the exports of Shopify, WooCommerce and Google Merchant Center
values.py     what stands in a cell: numbers, prices with their currencies, dates
shop_rows.py  the tables of your own shop; their rows as rows of the dataset, the variants of a product as one
"""

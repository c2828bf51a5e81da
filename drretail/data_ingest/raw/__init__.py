"""Raw files and their rows, in every dialect of the dataset and of your own shop.

sources.py    the files behind the given paths, and how they are opened
lines.py      what a file holds, by its fields; a JSON array or mapping, streamed; rows that an engine could not read
products.py   a raw row as a Product, its texts cleaned
mapping.py    the mapping file of your own shop: which column is what; formats, fitted to an export's columns
formats.toml  the exports of Shopify, WooCommerce and Google Merchant Center as mappings
tables.py     the tables of your own shop: CSV, JSONL, Parquet, and their columns
cells.py      a cell of a table as SQL (sql/duckdb/cells.sql); checks of a table's rows, and its dates' format
mapped.py     the rows of a table as rows of the dataset, the variants of a product as one
"""

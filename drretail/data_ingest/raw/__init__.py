"""Raw files and their rows, in every dialect of the dataset and of your own shop.

sources.py       the files behind the given paths, and how they are opened
lines.py         what a file holds, by its fields; rows that an engine could not read, saved or reported
elements.py      JSON arrays and mappings, streamed
products.py      a raw row as a Product, its texts cleaned
mapping.py       the mapping file of your own shop: which column is what
formats.toml     the exports of Shopify, WooCommerce and Google Merchant Center as mappings
formats.py       fits them to the columns that an export has
tables.py        the tables of your own shop: CSV, JSONL, Parquet, feeds in XML, and their columns
cells.py         a cell of a table as SQL; its macros are in sql/duckdb/cells.sql
mapped.py        the rows of a table as rows of the dataset, the variants of a product as one
table_checks.py  checks of a table's rows, and the format of its dates
"""

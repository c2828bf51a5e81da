"""Worlds on servers: the rows in a MongoDB database, the search in an Elasticsearch index.

marks.py        whose each collection and index is; what is not the world's is refused
generations.py  opens a world's generations, reads all rows of the live one
checking.py     check_servers: the faults of the live generation
loading.py      write_servers: rows become a new generation, which is checked and goes live
"""

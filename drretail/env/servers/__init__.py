"""Worlds on servers: the rows in a MongoDB database, the search in an Elasticsearch index.

naming.py      what such a world is called, where the servers are and how to enter them
clients.py     the clients, their addresses, and what is wrong where a server cannot be used
faults.py      what becomes of a call when a server fails, and steps tried again for a bounded time
documents.py   records as documents, and back
live_generation.py  which generation of a world is live
opening.py     store, catalog and held-out orders of what is live
lease.py       one writer at a time
filling.py     the streams of rows into collections, and how far a load has come
loading.py     write_servers
reading.py     all rows of a world in their order
integrity.py   check_servers, and whether what is live may stay
"""

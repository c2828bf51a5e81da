"""Worlds on servers: the rows in a MongoDB database, the search in an Elasticsearch index.

naming.py           the names of such worlds, the servers' addresses and credentials
clients.py          the clients, what is wrong if a server cannot be used, errors as one kind, retried steps
live_generation.py  which generation of a world is live; one writer at a time
loading.py          write_servers: streams of rows into collections, with a record of how far a load has come
reading.py          store and catalog of the live generation; all rows of a world in their order
integrity.py        check_servers, and whether the live generation may stay
"""

"""Worlds on servers: the rows in a MongoDB database, the search in an Elasticsearch index.

naming.py           the names of such worlds, the servers' addresses and credentials
clients.py          the clients and their addresses; says what is wrong if a server cannot be used
faults.py           turns a failing server's errors into one kind, and retries steps for a bounded time
documents.py        records as documents, and back
live_generation.py  which generation of a world is live
lease.py            one writer at a time
filling.py          writes the streams of rows into collections, and records how far a load has come
loading.py          write_servers
reading.py          store, catalog and held-out orders of the live generation; all rows of a world in their order
integrity.py        check_servers, and whether the live generation may stay
"""

"""Worlds on servers: the rows in a MongoDB database, the search in an Elasticsearch index.

naming.py       what such a world is called
settings.py     where the servers are and how to enter them
addresses.py    what is wrong with addresses, and how they are shown
connecting.py   the clients, and what is wrong where a server cannot be used
faults.py       what becomes of a call when a server fails
retrying.py     a step tried again for a bounded time
documents.py    records as documents, and back
live.py         which generation of a world is live
opening.py      store and catalog of what is live
lease.py        one writer at a time
unfinished.py   how far a load has come
filling.py      the streams of rows into collections
readiness.py    whether a load can begin
loading.py      write_servers
reading.py      all rows of a world in their order
checking.py     check_servers
wholeness.py    whether what is live may stay when the same world is loaded
"""

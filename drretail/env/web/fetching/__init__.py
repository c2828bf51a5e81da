"""One page from the open web, safely: ``fetcher.Fetcher`` is the way in.

targets.py     an address, read in one strict way
connection.py  where a connection may go, the very address that was checked, by when
client.py      one GET with all limits
content.py     bodies without bombs; is it text, and in which characters
robots.py      what a site asks of machines
fetched.py     what came of it, and what can go wrong
fetcher.py     all of it
"""

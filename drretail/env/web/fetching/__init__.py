"""One page from the open web, safely: ``fetcher.Fetcher`` is the entry point.

targets.py     an address, read in one strict way
connection.py  which addresses may be connected to, and until when; connects to the very address it checked
client.py      one GET with all limits
content.py     unpacks bodies within limits; decides whether a body is text, and its encoding
fetched.py     the result of a fetch, and its errors
fetcher.py     combines all of these, and respects robots.txt
"""

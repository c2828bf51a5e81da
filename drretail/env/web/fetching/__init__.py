"""One page from the open web, safely: ``fetcher.Fetcher`` is the way in.

targets      an address, read in one strict way          addresses   where a connection may go
connecting   the very address that was checked           unpacking   bodies without bombs
client       one GET with all limits                     robots      what a site asks of machines
sniffing     is it text, and in which characters         fetcher     all of it → ``fetched.Fetched``
"""

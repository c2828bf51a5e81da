"""The nine tools of the paper (Table 3), and the one door to them.

tool.py        what a tool is and what it returns
catalog.py     product_catalog_search, get_product_details
orders.py      get_user_orders, get_order_details
users.py       get_user_profile, update_user_profile, get_user_statistics, and ask_shopper
web.py         web_search, with the pages of one search
cited_pages.py pages that a report cites, fetched once the run has ended
calculator.py  calculator
arithmetic.py  its parser
identifiers.py ids in every form that the shop prints
privacy.py     whose data a tool may touch, and what leaves for a search engine
schema.py      one JSON schema a tool, from its signature and docstring
arguments.py   a model's arguments against that schema
registry.py    the table of the nine, their schemas in every form, the joint hash
workers.py     threads that a hung tool cannot use up
toolkit.py     the door: validates, times out, records, never raises
mcp.py         the same door for clients from outside
mcp_http.py    over HTTP, a session each
"""

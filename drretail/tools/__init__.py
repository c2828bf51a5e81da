"""The nine tools of the paper (Table 3), and the toolkit that agents call them through.

tool.py          what a tool is and what it returns; a tool's JSON schema, made from its signature and docstring
catalog.py       product_catalog_search, get_product_details
orders.py        get_user_orders, get_order_details
users.py         get_user_profile, update_user_profile, get_user_statistics
web.py           web_search, with the pages of one search; the pages that a report cites, fetched after the run
calculator.py    calculator and its parser
arguments.py     checks a model's arguments: by a tool's schema, ids in every form, whose data, what is sent out
registry.py      the table of the nine, their schemas in every form, and one hash of all schemas
workers.py       limits of threads that hung tools cannot use up
toolkit.py       the only way to call a tool: validates, times out, records, tells LangChain's callbacks, never raises
local_server.py  a server that answers this machine alone
mcp.py           the toolkit for outside clients, over MCP
mcp_http.py      MCP over HTTP, one session for each client
"""

"""Web search and pages: ``base.Web`` is the contract, ``base.open_web`` opens one by name.

base.py             the contract, the result of a fetch and its errors, webs by name
sandbox.py          fixed pages (sandbox_pages.jsonl), and a sealed web for each query, in several sizes
bm25.py             ranks fixed pages; the snippet of a page that a search shows
dense.py            the same pages ranked by embeddings
live.py             a search engine with fetching and reading; its texts cleaned; the form of a page in a journal
providers.py        the paper's search service and a self-hosted one, combined with fetching and reading
stand_in.py         a web that connects nowhere, for dry runs
connection.py       an address, read in one strict way; which may be connected to, and until when
fetcher.py          one page from the open web, safely: all limits, what is text, robots.txt
page.py             raw pages as text: an article and its dates; knows bot checks, consent walls, logins (walls.txt)
structured_data.py  JSON-LD and microdata; schema.org products as text
"""

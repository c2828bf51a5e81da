"""Web search and pages: ``base.Web`` is the contract, ``base.open_web`` opens one by name.

base.py        the contract, the result of a fetch and its errors, webs by name
sandbox.py     fixed pages (sandbox_pages.jsonl; of the demo also demo_pages.jsonl; market_pages.jsonl), typed facts of
               some (demo_facts.jsonl, market_facts.jsonl), and a sealed web for each query, in several sizes
bm25.py        ranks fixed pages; the snippet of a page that a search shows
providers.py   the paper's search service and a self-hosted one, combined with fetching and reading
connection.py  which address may be opened; connections to what was checked, with limits
fetcher.py     one page from the open web, safely: all limits, robots.txt
page.py        raw pages as text, read by trafilatura
cleaning.py    texts of the web without hidden characters, absurd lengths and marks like our citations
"""

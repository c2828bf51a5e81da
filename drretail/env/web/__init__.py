"""Web search and pages: ``base.Web`` is the contract, ``registry.open_web`` opens one by name.

base.py       the contract
registry.py   webs by name
sandbox.py    fixed pages (sandbox_pages.jsonl)
sealed.py     a web for each query, in several sizes
bm25.py       ranks fixed pages
passages.py   the snippet of a page that a search shows
dense.py      the same pages ranked by embeddings
live.py       a search engine with fetching and reading; the form of a page in a journal
providers.py  the paper's search service and a self-hosted one, combined with fetching and reading
stand_in.py   a web that connects nowhere, for dry runs
searches.py   requests to search services, and their results in one form
fetching/     one page from the open web, safely
reading/      raw pages as text
"""

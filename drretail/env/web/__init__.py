"""Web search and pages: ``base.Web`` is the contract, ``registry.open_web`` gives one by name.

base.py       the contract
registry.py   webs by name
sandbox.py    fixed pages (sandbox_pages.jsonl)
sealed.py     a web for each query, in several sizes
bm25.py       how they are ranked
passages.py   what is shown of them
dense.py      the same pages ranked by embeddings
live.py       a search engine with fetching and reading; a page as it is written down
providers.py  search engines put together with fetching and reading
stand_in.py   a web that connects nowhere, for dry runs
searches.py   questions to search services, and what they find in one form
serper.py     the paper's search service
searxng.py    a self-hosted one
fetching/     one page from the open web, safely
reading/      raw pages as text
"""

"""Web search and pages: ``base.Web`` is the contract, ``opening.open_web`` gives one by name.

sandbox    fixed pages, ranked by bm25, with passages for snippets
live       a search engine (serper, searxng) with fetching and reading; providers puts them together
asking     questions to search services and what goes wrong with them      results   what they find, in one form
fetching   one page from the open web, safely                              reading   raw pages as text
pages      a page of any web as it is written down
"""

"""Raw pages as text for models and judges: ``page.read_page`` is the entry point.

parsing.py          encoding and tree, without parts that are not shown
structured_data.py  JSON-LD and microdata; schema.org products as text
markdown.py         the article, without the site's furniture
cleaning.py         no hidden characters, no absurd lengths, no marks in the form of our citations
page.py             a page as text; recognises bot checks, consent walls and logins; dates of publication and change
"""

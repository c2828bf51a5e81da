"""Raw pages as text for models and judges: ``page.read_page`` is the way in.

parsing.py          characters and tree, without what is not shown
structured_data.py  JSON-LD and microdata
product_data.py     schema.org products, and how they are written
markdown.py         the article, without the site's furniture
dates.py            published, modified
cleaning.py         no hidden characters, no absurd lengths, no marks in the form of our citations
page.py             a page as text; bot checks, consent and logins told apart
office_files.py     PDF and Office files as Markdown
"""

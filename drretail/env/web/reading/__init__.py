"""Raw pages as text for models and judges: ``page.read_page`` is the entry point.

parsing.py          encoding and tree, without parts that are not shown
structured_data.py  JSON-LD and microdata; schema.org products as text
cleaning.py         no hidden characters, no absurd lengths, no marks in the form of our citations
page.py             a page's article, without the furniture, and its dates; knows bot checks, consent walls, logins
walls.txt           what such pages say, one pattern a line
"""

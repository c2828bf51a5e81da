"""Product search: ``base.Catalog`` is the contract, the other files implement it.

base.py          the contract
formulation.py   the analyzer and the query that both engines share
word_pattern.py  the pattern of words (words.regex), made from Unicode's tables
tantivy.py       the embedded index
elastic.py       the index in Elasticsearch
elastic_load.py  how it is made and filled
"""

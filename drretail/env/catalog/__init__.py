"""Product search: ``base.Catalog`` is the contract, the other files implement it.

base.py            the contract
analysis.py        text into words and stems
formulation.py     what is indexed and how queries are scored, by analyzer: the same for both engines
relevance.py       which matches a sort ranks, and how many a filter hides
category_prices.py what the products of a category cost
search_note.py     what stands beside hits that alone would mislead
spelling.py        the nearest spelling of a word that hardly any product holds
tantivy.py         the embedded index
indexing.py        it is built in a process of its own
elastic.py         the index in Elasticsearch
elastic_load.py    how it is made and filled
"""

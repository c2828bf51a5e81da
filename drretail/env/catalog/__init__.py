"""Product search: ``base.Catalog`` is the contract, the other files implement it.

base.py         the contract
formulation.py  words and stems, what is indexed and how queries are scored, by analyzer: the same for both engines
tantivy.py      the embedded index
elastic.py      the index in Elasticsearch: created, filled and searched
"""

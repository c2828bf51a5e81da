"""How hard queries are, and other versions of them that are harder: measured and made on records, without any model.

measure.py       how hard a query is in its shop, without any agent: its level
phrases.toml     the sentences of other versions, and things that shops may lack
variations.py    other versions of a query: a budget, a want, a demand, an order more
hardening.py     queries brought to a level of difficulty
hidden_wishes.py queries that leave out limits, which the shopper tells when asked
twins.py         queries that the shop can't meet, each beside a twin that it can
"""

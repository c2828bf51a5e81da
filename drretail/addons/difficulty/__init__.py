"""How hard queries are, and queries of a level: measured and made from records, without a model.

options.py       the options of ``queries difficulty``, ``spoil`` and ``hide``
commands.py      the functions of these commands
measure.py       how hard a query is in its shop, without an agent: its level
phrases.toml     the sentences that twins have more, and things that shops may lack
leveled.py       queries of a wanted level
hidden_wishes.py queries that leave out limits, which the shopper tells when asked
twins.py         queries that the shop can't meet, each with a twin that it can
"""

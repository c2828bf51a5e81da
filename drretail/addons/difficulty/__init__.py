"""How hard queries are, and queries of a level: measured and made from records, without a model.

options.py    one record for each command of its own
commands.py   ``queries difficulty``, ``spoil`` and ``hide`` by their options, with what they print
measure.py    how hard a query is in its shop, without an agent: its level; queries of a wanted level
phrases.toml  the sentences that twins have more, and things that shops may lack
derived.py    queries made from others: twins that the shop can't meet, and queries that leave out limits until asked
"""

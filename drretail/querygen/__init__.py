"""Queries from real histories, as the paper describes them (section 3.2, App. A.4).

users.py     users that are named or drawn
rules/       drafts from a user's record, without any model
by_model/    queries written by a language model
importing.py plain questions → queries whose demands are not typed yet
reading.py   queries back from their file
checks/      what can be wrong with a query, one file a family of checks
lint.py      all checks of all queries of a file
generate.py  users → drafts → queries in which nothing is found
review/      people go through the queries of a file
people/      users as personas with contexts, and tasks that suit them
comparison.py  generic against profile-aware queries
shipped.py   the queries that come with the package, from
benchmark/   their files
"""

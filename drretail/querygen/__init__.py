"""Queries from real histories, as the paper describes them (section 3.2, App. A.4).

users.py     the users to write queries for: named or drawn
rules/       drafts from a user's record, without a model
by_model/    queries written by a language model
importing.py plain questions → queries; their wishes are typed later, unless the file has them
reading.py   queries read from a file
checks/      what can be wrong with a query, one file per family of checks
lint.py      all checks on all queries of a file
generate.py  users → drafts → queries without findings
decisions/   people or a model decide which products keep the demands
comparison.py  generic compared with profile-aware queries
shipped.py   the queries that ship with the package, from
benchmark/   their files
"""

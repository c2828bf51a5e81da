"""Queries from real histories, as the paper describes them (section 3.2, App. A.4).

rules/         drafts from a user's record, without a model
by_model/      queries written by a language model
kinds.py       what the shop calls a product: its kind, its title as one would quote it; articles, plurals
reading.py     queries read from a file; plain questions → queries; the queries that ship with the package, from
converse.py    conversations made of single queries: follow-ups by rules, each proved; sentences are in converse.toml
checks/        what can be wrong with a query, one file per family of checks
proofs.py      what a query needs, proved by ablated oracles, and how lucky these are
lint.py        all checks on all queries of a file
generate.py    users, named or drawn → drafts → queries without findings
decisions.py   which products keep the demands of queries, by fields and as a model decides: questions and answers
modes.py       generic and profile-aware queries by the paper's measures
spoil.py       pairs of queries, of which the shop can meet one; their sentences are in spoil.toml
benchmark/     their files
"""

"""``drretail queries``: questions made from real histories.

group.py          the group, and generate
questions.py      plain questions as queries, typed by a model
by_model.py       generate --model
check.py          what is wrong with queries
fix.py            other queries in their place
review.py         people go through them: files and sheets
review_numbers.py its numbers, as tables and as a document
comparison.py        generic against profile-aware queries
people.py         personas, contexts, and tasks paired with users
shipped.py        the fifty that come along
carry.py          queries of a world for the one that was made of it by synth --perturb
spoil.py          twins of queries that the shop can't meet
show.py           a file's questions, to be read
"""

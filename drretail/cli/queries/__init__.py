"""``drretail queries``: questions made from real histories.

group.py          the group, and generate
questions.py      plain questions as queries, typed by a model
by_model.py       generate --model
check.py          what is wrong with queries
decide.py         which products keep their demands, as people or a model read the records
review.py         people review them: files and sheets
review_numbers.py the numbers of a review, as tables and as a document
people.py         personas, contexts, and tasks paired with users
gym.py            drretail gym: questions to train on and held-out ones
query_sets.py     show, shipped, carry, difficulty, spoil, hide
"""

"""PDR-Bench's setting on a shop: users as personas with contexts, and the tasks that suit them (docs/benchmark.md).

persona.py        who a user is, in the seven groups of Table 5, the context that tells it, and their folder
past.py           what a user's records hold, and personas and contexts made of them without a model
person_model.py   the same by a model, and users' choices of tasks, asked with
prompts/          its wordings
pairing.py        tasks and users → one query each, users as different as can be
"""

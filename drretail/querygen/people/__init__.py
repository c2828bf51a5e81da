"""PDR-Bench's setting on a shop: users as personas with contexts, and the tasks that suit them (docs/pdr.md).

persona.py        who a user is, in the seven groups of Table 5, and the context that tells it
past.py           what a user's records hold: profile, orders, products
persona_rules.py  personas out of records, without a model
context_rules.py  contexts out of records, without a model
person_model.py   the same by a model, users' choices of tasks, and personas back from contexts, asked with
prompts/          its wordings
reversibility.py  how much of a persona its context gives back, field by field
pairing.py        tasks and users → one query each, users as different as can be
people_files.py   personas and contexts in their folder
"""

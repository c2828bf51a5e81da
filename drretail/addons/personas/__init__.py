"""PDR-Bench's setting on a shop: users as personas with contexts, and the tasks that suit them (README.md).

options.py        the options of ``queries personas``, ``context`` and ``pair``
commands.py       the functions of these commands
persona.py        who a user is, in the seven groups of Table 5, the context that shows it, and the folder of both
past.py           a user's records, and personas and contexts made from them without a model
person_model.py   personas, contexts and choices of tasks by a model, asked with
prompts/          the wordings
pairing.py        tasks and users → one query per pair, with users as different as can be
"""

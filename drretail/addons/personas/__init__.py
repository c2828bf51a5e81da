"""PDR-Bench's setting on a shop: users as personas with contexts, and the tasks that suit them (README.md).

commands.py      the options and functions of ``queries personas``, ``context`` and ``pair``
persona.py       who a user is, in the seven groups of Table 5, the context that shows it, and both made from records
                 without a model; tasks and users as pairs, with users as different as can be
person_model.py  personas, contexts and choices of tasks by a model, asked with
prompts/         the wordings
"""

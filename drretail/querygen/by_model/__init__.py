"""Queries written by a language model, from the paper's four inputs (section 3.2).

targets.py      the users and categories that queries are written for, how many each gets, and their ids
prompt.py       the messages to the model, with the kinds of products around a user or a question and what the user
                owns, from
pages.py        pages about kinds of products, and what records say of their matter
prompts/        the wordings
examination.py  the schemas of the model's answers; findings sent back to it, at most twice, and those kept that remain
session.py      one model with its journal, shared by all questions of a command
write.py        targets → queries: concurrent, journalled, resumable; types the wishes of plain
                questions
reader.py       which products keep the demands, as a model reads their records
second.py       a second typing of a question by a model that sees only its text, and where the two differ
"""

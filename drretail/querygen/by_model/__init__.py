"""Queries written by a language model, from the paper's four inputs (section 3.2).

targets.py     the users and categories that queries are written for, how many each gets, and their ids
shelf.py       the kinds of products around a user or a question, and what the user owns
prompt.py      the messages to the model, from
prompts/       the wordings
answer.py      the schemas of the model's answers: a query, or the wish of one
examination.py sends findings back to the model, at most twice, and keeps those that remain
session.py     one model with its journal, shared by all questions of a command
write.py       targets → queries: concurrent, journalled, resumable; and an estimate of the usage
opinion.py     a reading model's opinion of queries
decide.py      reads products' records to decide which keep the demands of queries
annotate.py    types the wishes of plain questions
"""

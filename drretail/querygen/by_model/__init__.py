"""Queries written by a language model, with the paper's four inputs (section 3.2).

targets.py     whom and what queries are written for, with their ids
shelf.py       which kinds of products the shop sells near a user or a question, and what the user owns
prompt.py      the messages to the model, from
prompts/       its wordings
answer.py      the schema of its answer: a query, or the wish of one
examination.py what is wrong with an answer goes back to it, at most twice; what stays wrong
session.py     one model with its journal, shared by all questions of a command
write.py       targets → queries: side by side, journalled, resumed
estimate.py    what the queries that are still to be written will take
opinion.py     what a model that reads makes of queries
annotate.py    plain questions → the same, with their wishes
"""

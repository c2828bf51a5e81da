"""Queries written by a language model, with the paper's four inputs (section 3.2).

place.py     whom and what queries are written for, with their ids
shelf.py     which kinds of products the shop sells near a place or a question, and what the user owns
prompt.py    what the model is told, from
prompts/     its wordings
answer.py    what it answers: a query, or the wish of one
problems.py  what is wrong with an answer, told to it at most twice; what stays wrong
write.py     places → queries: side by side, journalled, resumed
estimate.py  what the queries that are still to be written will take
rewrite.py   queries in which something was found → the same, written again
typist.py    plain questions → the same, with their wishes
"""

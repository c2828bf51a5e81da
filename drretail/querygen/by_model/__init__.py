"""Queries written by a language model, with the paper's four inputs (section 3.2).

place.py     whom and what queries are written for, with their ids
prompt.py    what the model is told; its wordings are prompts/
answer.py    what it answers
problems.py  what is wrong with an answer, told to it at most twice
write.py     places → queries: side by side, journalled, resumed
rewrite.py   queries in which something was found → the same, written again
"""

"""offline:shopper, a rule-based shopping researcher: a pure function of the messages and the bound tools.

policy.py      which role is asked for
roles/         what it does in each role that a model has in an agent
tags.py        the data of a prompt, in tags
situation.py   what the messages hold: query, user, today, and every tool result so far
study.py       all that follows from the situation; read this for the order of things
words.py       words and their stems; tokens.py, phrases.py and mentions.py: words in their context
kinds.py       what it knows of the world: kinds of products and what goes with them
everyday.py    things of which it knows the names only
idioms.py      turns of speech whose nouns are nothing to buy
need.py        one thing to buy, and its names
named.py       where a query names known kinds of things
needs.py       what the shopper wants to buy, read from the query
company.py     whether the shopper asks for what goes with the thing that they have
so_many.py     how many of it, where the number stands apart from the thing
either.py      whether the shopper weighs things against each other to buy one
floors.py      the least rating and number of ratings asked for
wondering.py   clauses that ask to know something
questions.py   what else the shopper wants to know
complaints.py  what annoys the shopper in the thing that they have
aspects.py     by what the shopper wants things compared
scope.py       of which of several things a demand is made
missing.py     what nobody could look up because the tools were missing
customer.py    who asks: profile, orders, statistics
candidates.py  the products seen so far
wishes.py      whether a product's record says what the shopper asks for
relevance.py   how far a product is the needed thing itself
choosing.py    how well a product fits, and the best set within the budget
lookups.py     which tool calls come next
sums.py        the arithmetic of the report, as calculator expressions
facts.py       short facts out of a product's record
report/        the report, section by section

It reads no instructions: only tags, tool names, names of answer schemas and the JSON of tool results. Rewording a
prompt changes nothing.
"""

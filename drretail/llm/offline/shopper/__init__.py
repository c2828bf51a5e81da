"""offline:shopper, a deterministic searcher: it searches for a question's own words and cites the first hits.

policy.py     which role to play, by tool names, answer schemas and tags
task.py       the content of the messages: the question, and every tool call with its result
notes.py      the results as notes on sources, as researchers hand them on
searching.py  which calls come next, and which product is chosen for each category
writing.py    reports, a researcher's findings, answers from a page or a file

It understands no question. It plays every role of every agent, so that the whole pipeline runs without a key.
docs/tools.md compares its figures with those of null_search, an agent that searches once.
"""

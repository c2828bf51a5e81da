"""offline:shopper, a deterministic searcher: it searches for a question's own words and cites what comes first.

policy.py     which role is asked for, by tool names, answer schemas and tags
task.py       what the messages hold: the question, every tool call with its result
notes.py      what the results hold, as the notes on sources that researchers hand on
searching.py  which calls come next, and which product is named for each category
writing.py    reports, what a researcher hands on, what a page or a file says

It understands no question. It plays every role of every agent, so that the whole pipeline runs without a key, and
docs/models.md has its figures beside null_search, an agent that searches once.
"""

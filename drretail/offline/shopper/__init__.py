"""offline:shopper, a rule-based shopping researcher: a pure function of the messages and the bound tools.

policy.py         which role is asked for, by tool names, answer schemas and tags
conversation.py   what the messages hold: tags, who asks, every tool call with its result
reading/          what it reads in the English of a question; nobody else imports it
needs.py          what is to be bought: phrases of the query that searches bear out
understanding.py  the wish that it reads in a question, where it is asked for that
candidates.py     the products seen, and how far each is the thing that a name names
choosing.py       how well they fit, what is out of the question, the best set within the budget
research.py       which calls come next
web.py            what the web is asked, and sentences of its pages by overlap
report.py         the report and its block of picks
team.py           supervisor, researcher, synthesis, and findings recalled for the report
errands.py        an agent that sends others to the web and into files, and these
repairing.py      a report without what turned out to be wrong

It knows no kinds of products and follows no instruction: rewording a prompt changes nothing. A stand-in that makes the
pipeline run without a key; benchmarks/offline.py measures it beside an agent of forty lines (null_search).
"""

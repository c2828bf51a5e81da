"""The policy of offline:judge: rules in the place of a judge's reading, so that scoring runs without a key.

policy.py      which rules answer, by the name of the answer schema alone
tags.py        the data in a prompt's tags; the words around them are never read
extracting.py  claims: sentences, list items and table rows that state something
speech.py      what is no claim: questions, advice, opinions, wishes, talk about the report
supporting.py  support of a claim by sources: names, figures, negation, wording
segments.py    sources cut into passages that can be quoted
figures.py     the figures of a claim and of sources, by kind
states.py      states of the USA by name and code
opposing.py    sources that say the opposite of a claim, or something else in its place
stems.py       words without endings
rating.py      a plumbing rating that is never shown as a number
comparing.py   a plumbing preference between two reports, never shown as a number either
"""

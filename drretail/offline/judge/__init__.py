"""The policy of offline:judge: rules in the place of a judge's reading, so that scoring runs without a key.

policy.py      which rules answer, by the name of the answer schema alone
claims.py      the claims of a report, with their sources
support.py     support of a claim by sources: words and figures
sources.py     sources cut into passages that can be quoted, and the figures they name
"""

"""The policy of offline:judge: rules in place of a judge model, so that scoring runs without a key.

policy.py      chooses the rules by the name of the answer schema alone
claims.py      the claims of a report, with their sources
support.py     whether the records that a claim cites confirm or contradict it, by named fields
"""

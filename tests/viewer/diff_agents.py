"""One question, and two agents whose reports on it are given."""

from drretail.records.reading import Pick
from tests.viewer.agents import answering

QUESTION = "Which bird feeder suits me, under $60?"
BEFORE = """## What to get
Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5 [P:B0TEST0001].
The Tanagrove Hopper Bird Feeder is made of cedar and costs $39.50 [P:B0TEST0002].
"""
AFTER = """## What to get
The Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5.
The Tanagrove Bird Bath <b>costs</b> $55.00 [P:B0TEST0004].
"""


AGENTS = {
    "before": answering(BEFORE, Pick(product="B0TEST0001"), Pick(product="B0TEST0002")),
    "after": answering(AFTER, Pick(product="B0TEST0001", quantity=2), Pick(product="B0TEST0004")),
}

"""Three agents that say each one thing to three questions; a report of one is hostile, and names its writer."""

from datetime import UTC, datetime

from drretail import Agent, Answer
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Query, Task
from drretail.records.reading import Pick
from drretail.records.run import Limits
from drretail.records.vote import Choice, Vote
from drretail.tools.toolkit import Toolkit
from tests.shop import USER

QUERIES = [
    Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test"),
    Query(query_id="q2", text="How do I clean a bird bath, and is one <b>here</b>?", mode="generic", source="test"),
    Query(query_id="q3", user_id=USER, text="What became of my last order?", source="test"),
]
FEEDER = "The Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5 [P:B0TEST0001].\n"
BATH = "## What to get\nThe Tanagrove Bird Bath costs $55.00 [P:B0TEST0004]. Take it.\n"
HOSTILE = (
    "As slow_thinker I say: <script>window.evil = 1</script><img src=x onerror=window.evil=2> "
    "[a link](javascript:window.evil=3) \u202eturned\u202c \x1b[31mred\x1b[0m </script> {{ 7*7 }} [P:B0TEST0002]. "
    "Slow-Thinker, by slow thinker, costs $39.50 [P:B0TEST0002].\n" + "word " * 400
)


def answering(report: str, *picks: Pick) -> Agent:
    """An agent that looks up what there is and says this."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del task, models, limits
        toolkit = Toolkit(session)
        toolkit.call("product_catalog_search", {"query": "bird feeder bath"})
        return Answer(report=report, picks=picks)

    return Agent(answer, roles=())


def vote(person: str, pair: str, choice: Choice, dimension: str = "depth", a: str = "a", b: str = "b") -> Vote:
    """What a person says of two reports, of which that of ``a`` stands left."""
    return Vote(
        pair_id=pair, query_id="q1", a=a, b=b, shown_left="a", dimension=dimension, choice=choice, annotator=person,
        at=datetime(2025, 1, 1, 12, tzinfo=UTC),
    )  # fmt: skip


AGENTS = {
    "zephyr": answering(FEEDER, Pick(product="B0TEST0001", quantity=2)),
    "quartz": answering(BATH, Pick(product="B0TEST0004")),
    "slow_thinker": answering(HOSTILE, Pick(product="B0TEST0002")),
}


QUESTION = "Which bird feeder suits me, under $60?"
BEFORE = """## What to get
Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5 [P:B0TEST0001].
The Tanagrove Hopper Bird Feeder is made of cedar and costs $39.50 [P:B0TEST0002].
"""
AFTER = """## What to get
The Tanagrove Tube Bird Feeder costs $24.99 [P:B0TEST0001]. It is rated 4.5 out of 5.
The Tanagrove Bird Bath <b>costs</b> $55.00 [P:B0TEST0004].
"""

DIFFERING = {
    "before": answering(BEFORE, Pick(product="B0TEST0001"), Pick(product="B0TEST0002")),
    "after": answering(AFTER, Pick(product="B0TEST0001", quantity=2), Pick(product="B0TEST0004")),
}
"""Two agents whose reports on ``QUESTION`` differ."""

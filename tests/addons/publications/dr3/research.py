"""Reports on a query with a file and pages, what is known of good ones, and a judge that answers by schema."""

from collections.abc import Mapping
from typing import Any

from drretail.eval.judging.session import Judge
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.criteria import GoldInsight, KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.evidence import Evidence
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import file_evidence_id, web_evidence_id
from tests import build

CARE, RECALL = "https://birds.example/care", "https://recalls.example/tube"
CARE_ID, RECALL_ID = web_evidence_id(CARE), web_evidence_id(RECALL)
ORDERS_ID = file_evidence_id("orders.csv")
WISH = Wish(wants=(Want(name="feeder", kinds=("feeder",)),), budget=Money(amount="30"))
QUERY = build.query(text="Which feeder under $30 lasts? My orders are in the file.", wish=WISH, files=("orders.csv",))
GOLD = KnownAnswer(
    query_id="q1",
    files=PartOfGold(
        insights=(GoldInsight(id="f1", text="The last feeder cost $22.99.", stands_in="orders.csv"),),
        documents=(RequiredDocument(title="orders.csv"),),
    ),
    sandbox=PartOfGold(
        insights=(
            GoldInsight(id="s1", text="Tube feeders have to be cleaned every two weeks.", stands_in=CARE),
            GoldInsight(id="s2", text="The tube of 2021 was recalled.", stands_in=RECALL),
        ),
        documents=(RequiredDocument(title="Care", url=CARE), RequiredDocument(title="Recalls", url=RECALL)),
    ),
)
REPORT = (
    f"Your last feeder cost $22.99 [{ORDERS_ID}]. Clean a tube feeder every two weeks [{CARE_ID}]. "
    "Some feeders are taken back."
)


def source(evidence_id: str, name: str, text: str, url: str | None = None) -> Evidence:
    held = build.text(text, "file" if url is None else "page")
    return build.evidence(evidence_id, held, key=url or name, title=name, url=url)


EVIDENCE = (
    source(ORDERS_ID, "orders.csv", "product,price\ntube,22.99"),
    source(CARE_ID, "Care", "Clean tubes every two weeks.", CARE),
    source(RECALL_ID, "Recalls", "The tube of 2021 was recalled.", RECALL),
)

Answers = Mapping[str, Any]
"""By schema: the answer, or a function of the question."""
PRICE, CLEANING = "The last feeder cost $22.99.", "Tube feeders are cleaned every two weeks."
CITED_CLAIMS = {
    "claims": [
        {"claim_id": 1, "claim": PRICE, "quote": "Your last feeder cost $22.99", "sources": [ORDERS_ID]},
        {"claim_id": 2, "claim": CLEANING, "quote": "Clean a tube feeder every two weeks", "sources": [CARE_ID]},
    ]
}
CLAIMS = {"claims": [claim | {"values": []} for claim in CITED_CLAIMS["claims"]]}


def _backed(question: str) -> dict[str, Any]:
    label = "full_support" if ORDERS_ID in question else "partial_support"
    return {"claims": [{"claim_id": 1, "quotes": [], "justification": "So it says.", "label": label}]}


def _insights(question: str) -> dict[str, Any]:
    labels = {"$22.99": "full", "two weeks": "full", "recalled": "partial"}
    texts = [tag_content_of(question, number) for number in (1, 2)]
    found = [next(label for words, label in labels.items() if words in each) for each in texts if each]
    empty = {"found": "", "missing": ""}
    return {"insights": [{"insight_id": at, "label": label, **empty} for at, label in enumerate(found, 1)]}


def tag_content_of(question: str, number: int) -> str:
    """What stands in the numbered criterion."""
    return question.partition(f'<criterion id="{number}">\n')[2].partition("\n</criterion>")[0]


ANSWERS: Answers = {
    "QueryRequirements": {"requirements": [{"requirement": "Says which lasts.", "category": "content"}]},
    "DepthRubric": {"points": [{"point": f"Weighs {each}.", "explanation": ""} for each in ("price", "life", "care")]},
    "ReportClaims": CLAIMS,
    "CitedClaims": CITED_CLAIMS,
    "ClaimsSupport": _backed,
    "BackedClaims": {"claims": [{"claim_id": 1, "explanation": "", "supported": True}]},
    "FoundInsights": _insights,
    "MarkedInsights": {"insights": [{"insight_id": 1, "found": "", "score": 0.8}]},
    "MetRequirements": {
        "requirements": [{"requirement_id": one, "reason": "So.", "met": one != 3} for one in (1, 2, 3)]
    },
    "Depth": {"justification": "It weighs nothing.", "rating": 4},
}


def judge_by(answers: Answers = ANSWERS, name: str = "test") -> tuple[Judge, list[str]]:
    """A judge, and the schemas it was asked for so far."""
    asked: list[str] = []

    def play(request: Request) -> ScriptedAnswer:
        title = request.schema or ""
        asked.append(title)
        answer: Any = answers[title]
        result: Any = answer(request.opening) if callable(answer) else answer
        return ScriptedAnswer(structured=result)

    return Judge.of(scripted_model(play=build.quoting(play), name=name)), asked

"""A small run to judge: a report's text, the evidence it was given, and judges that answer from a script."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.metrics.faithfulness import METRIC
from drretail.llm.registry import build_model
from drretail.llm.scripted import ScriptedAnswer, scripted_model
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText, SourceState
from drretail.records.run import System
from drretail.records.score import Rules, Verdict
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.reports.text.serialisation import compact_json
from tests import build

BIRDS = "https://birds.example/cardinals"
BLOCKED = "https://paywalled.example/page"
BIRDS_ID, BLOCKED_ID = web_evidence_id(BIRDS), web_evidence_id(BLOCKED)
text = build.text


def entry(
    evidence_id: str, kind: EvidenceKind, *texts: EvidenceText, state: SourceState = "ok", url: str | None = None
) -> Evidence:
    return build.evidence(evidence_id, *texts, kind=kind, state=state, url=url)


def product(product_id: str, title: str, price: float, rating: float, count: int, *features: str) -> Evidence:
    record = {
        **{"evidence": f"P:{product_id}", "product_id": product_id, "title": title, "features": list(features)},
        **{"description": [], "price": price, "currency": "USD", "average_rating": rating, "rating_number": count},
        **{"store": title.split()[0], "category": "Pet_Supplies"},
    }
    return entry(f"P:{product_id}", "product", text(compact_json(record), "record"))


FEATURES = ("Removable machine washable cover", "Memory foam base, 4 inch thick", "Holds dogs up to 90 pounds")
BED = product("B0BED00001", "Fluffwick Orthopedic Dog Bed, Large, Grey", 49.99, 4.5, 1234, *FEATURES)
BOWL = product("B0BOWL0001", "Slowpaw Slow Feeder Bowl, Blue", 12.5, 4.1, 77, "Not suitable for the microwave")
ORDER_RECORD = {
    **{"evidence": "O:0000000001", "order_id": "0000000001", "product_id": "B0BOWL0001"},
    **{"order_date": "2023-05-31T10:46:55", "quantity": 2, "order_status": "Delivered"},
    **{"product_title": "Slowpaw Slow Feeder Bowl, Blue", "price": 12.5, "currency": "USD"},
}
ORDER = entry("O:0000000001", "order", text(compact_json(ORDER_RECORD), "record"))
PAGE_TEXT = (
    "Northern cardinals prefer black oil sunflower seeds. They feed on the ground in winter. "
    "Oklahoma hosts over 60 backyard species. Cedar lasts 10 to 15 years outdoors."
)
PAGE = entry(BIRDS_ID, "web", text(PAGE_TEXT, "page", shown=False), url=BIRDS)
WALL = entry(BLOCKED_ID, "web", state="blocked", url=BLOCKED)
EVIDENCE = {found.id: found for found in (BED, BOWL, ORDER, PAGE, WALL)}


def subject(report: str | None, evidence: Mapping[str, Evidence] = EVIDENCE, query: str = "Which bed?") -> Subject:
    run = build.run("q1-r1", report, picks=(), label="a")
    return build.subject(run, evidence.values(), query=build.query(text=query), system=System(agent="react", models={}))


def offline_judge() -> Judge:
    return Judge.of(build_model("offline:judge"))


def scripted(*answers: Any) -> Judge:
    """A judge that gives these answers in order, whatever it is asked, and breaks when asked once more."""
    left = [
        ScriptedAnswer(text=answer) if isinstance(answer, str) else ScriptedAnswer(structured=answer)
        for answer in answers
    ]
    return Judge.of(scripted_model(play=build.quoting(lambda _: left.pop(0)), name="x"))


def claim(number: int, message: str, *sources: str, quote: str = "", values: Sequence[Mapping[str, Any]] = ()) -> Any:
    """A claim as the default extraction gives it."""
    return {**papers_claim(number, message, *sources, quote=quote), "values": list(values)}


def papers_claim(number: int, message: str, *sources: str, quote: str = "") -> dict[str, Any]:
    """A claim as the paper's two extractions give it."""
    return {"claim_id": number, "claim": message, "quote": quote, "sources": list(sources)}


def said_value(kind: str, quote: str, of: str = "", field: str = "") -> dict[str, str]:
    """A place that a judge marks."""
    return {"kind": kind, "of": of, "field": field, "quote": quote}


def bound_value(*args: str, bound: str = "is") -> dict[str, str]:
    """The same in an answer of an assistant, with what the figure is."""
    return said_value(*args) | {"bound": bound}


def ruled(number: int, label: str, why: str = "because", *quotes: str) -> dict[str, Any]:
    label = label if label in ("contradicted", "refused") else f"{label}_support"
    return {"claim_id": number, "quotes": list(quotes), "justification": why, "label": label}


def support(label: str, why: str = "because", *quotes: str) -> dict[str, Any]:
    """The answer to a question about one claim."""
    return {"claims": [ruled(1, label, why, *quotes)]}


def alone(label: str, why: str = "because") -> dict[str, str]:
    """The answer under the paper's rules."""
    return {"support": f"{label}_support", "justification": why}


def judged(
    folder: Path, judge: Judge, about: Subject, rules: Rules = "default", again: Again = "nothing"
) -> list[Verdict]:
    """The living verdicts after one judging."""
    build.judged(METRIC, about, folder / "q1-r1.jsonl", judge, rules=rules, again=again)
    living = VerdictFile(folder / "q1-r1.jsonl").living(about.report_sha or "", METRIC.prompt_hashes())
    return [verdict for verdict in living if verdict.rules == rules]


def values(about: Subject, verdicts: Sequence[Verdict], rules: Rules = "default") -> dict[str, Value]:
    return {value.variant: value for value in METRIC.values(about, verdicts, rules)}

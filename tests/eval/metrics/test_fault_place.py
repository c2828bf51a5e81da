"""Where a wrong claim went wrong, in single claims and of agents whose model makes one chosen mistake."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.store.base import Store
from drretail.env.web.sandbox import SandboxWeb, default_corpus, read_corpus
from drretail.env.world import World, open_world
from drretail.eval.claims.claims import Claim, make_claim
from drretail.eval.claims.rulings import CONTRADICTED, DISTORTED
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.metrics import fault_place
from drretail.eval.metrics.fault_place import NAME, PLACES, Place, PlacedClaim, Placer, ResearcherReports, WrongClaim
from drretail.experiment import Experiment
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.llm.registry import open_model
from drretail.records.evidence import Evidence, IntermediateReport, SourceNote
from drretail.records.reading import Reading, ReadValue
from drretail.records.run import Limits
from drretail.records.score import Score, SourceRef, Verdict
from drretail.viewer.experiment import read_view
from tests import build
from tests.agents.saboteur import GOOD, ORDERS, PAGES, QUERY, SENTENCES, Saboteur, Spoiling, model
from tests.agents.saboteur import PRODUCTS as SOLD
from tests.eval.metrics.faithfulness.reports import BED, BIRDS_ID, EVIDENCE, said_value, subject, support
from tests.eval.metrics.faithfulness.reports import claim as stated
from tests.viewer.experiment import render_page

BED_ID = BED.id
REPORT = f"The bed costs $39.99 [{BED_ID}]. Cardinals prefer millet [{BIRDS_ID}]."
SHIPPED = read_corpus(default_corpus())[0]


class Shop:
    """A world with the bed alone."""

    def products(self, product_ids: list[str]) -> Mapping[str, Any]:
        return {}

    def close(self) -> None: ...


def of(evidence: Mapping[str, Evidence] = EVIDENCE) -> Subject:
    return replace(subject(REPORT, evidence), store=cast(Store, Shop()))


def handed(source: str, path: str) -> Mapping[str, Evidence]:
    """What the run was shown, this source of it in a branch."""
    texts = tuple(text.model_copy(update={"path": path}) for text in EVIDENCE[source].texts)
    return {**EVIDENCE, source: EVIDENCE[source].model_copy(update={"texts": texts})}


def price(amount: str) -> ReadValue:
    start = REPORT.index("$39.99")
    return ReadValue(kind="price", amount=amount, currency="USD", of=(BED_ID,), start=start, end=start + 6)


def ruled(claim: Claim, value: float, *notes: str, quote: str | None = None) -> Verdict:
    sources = (SourceRef(id=BIRDS_ID, sha256="s"),)
    return build.verdict("faithfulness", "support", claim.claim_id, value, notes=notes, quote=quote, sources=sources)


def wrong_claims(claim: Claim, verdict: Verdict | None, about: Subject) -> list[WrongClaim]:
    reading = Reading(reader="model:m", values=claim.values)
    return fault_place.wrong_claims([claim], [verdict] if verdict else [], about.case, reading)


def place(
    claim: Claim, verdict: Verdict | None, about: Subject, reports: ResearcherReports | None = None
) -> PlacedClaim:
    (wrong,) = wrong_claims(claim, verdict, about)
    return Placer(about, about.case.ledger(), reports).placed(wrong)


def handing_on(*facts: str, of: str = BED_ID) -> ResearcherReports:
    sources = tuple(SourceNote(evidence=of, title="It", facts=each) for each in facts)
    return ResearcherReports({"0.1": IntermediateReport(insights=(), sources=sources, open_questions=("Which?",))})


THE_BED = make_claim(1, "The bed costs $39.99.", [BED_ID], values=[price("39.99")], span=(0, 35))
CARDINALS = make_claim(2, "Cardinals prefer millet.", [BIRDS_ID])


@pytest.mark.parametrize(
    ("path", "reports", "found", "why"),
    [
        ("0", None, "distorted", "The run was handed the truth"),
        ("0", handing_on(), "distorted", "Who wrote the report was handed the truth"),
        ("0.1", handing_on(), "lost", "no intermediate report says so"),
        ("0.1", handing_on("It costs $49.99."), "distorted", "so says the intermediate report of 0.1"),
        ("0.1", handing_on("It costs $11.11."), "distorted", "already the intermediate report of 0.1"),
    ],
)
def test_only_what_a_researcher_was_handed_and_did_not_hand_on_is_lost(
    path: str, reports: ResearcherReports | None, found: Place, why: str
) -> None:
    placed = place(THE_BED, ruled(THE_BED, 0), of(handed(BED_ID, path)), reports)
    assert (placed.place, why in placed.reason) == (found, True)


def test_only_a_wrong_value_or_a_contradicted_quote_is_placed() -> None:
    assert place(THE_BED, ruled(THE_BED, 0.5), of()).place == "distorted"
    assert wrong_claims(THE_BED, ruled(THE_BED, 1), of()) == []
    right = make_claim(1, "The bed costs $49.99 and is light.", [BED_ID], values=[price("49.99")])
    assert wrong_claims(right, ruled(right, 0.5), of()) == []
    assert place(right, ruled(right, 0), of()).place == "unknown"
    found = place(CARDINALS, ruled(CARDINALS, 0, DISTORTED), of())
    assert (found.place, "summary" in found.reason) == ("distorted", True)
    for notes in ((), (CONTRADICTED,)):
        found = place(CARDINALS, ruled(CARDINALS, 0, *notes), of())
        assert (found.place, "The claim has no figure" in found.reason) == ("unknown", True)
    assert place(make_claim(1, "It is so.", [], ["7"]), None, of()).place == "unknown", "it comes to nothing"


def test_a_contradiction_is_placed_by_the_words_of_its_page() -> None:
    words = "Northern cardinals prefer black oil sunflower seeds."
    verdict = ruled(CARDINALS, 0, CONTRADICTED, quote=words)
    assert words in place(CARDINALS, verdict, of()).reason
    elsewhere = of(handed(BIRDS_ID, "0.1"))
    assert place(CARDINALS, verdict, elsewhere, handing_on()).place == "lost"
    told = handing_on("Sunflower seeds.", of=BIRDS_ID)
    assert place(CARDINALS, verdict, elsewhere, told).place == "distorted"


def test_of_pages_only_those_of_the_shipped_corpus_are_known() -> None:
    ours = of()
    digest = hashlib.sha256(default_corpus().read_bytes()).hexdigest()
    shipped = replace(ours, system=ours.system.model_copy(update={"web_corpus": digest}))
    page = web_evidence_id(SHIPPED.url)
    found = [fault_place.presence_of(one, shipped) for one in (page, SHIPPED.url, "W:zzzzzzzz")]
    assert found == ["present", "present", "absent"]
    assert fault_place.presence_of(page, ours) == "not known"
    claim = make_claim(1, "It is so.", [], [page])
    assert place(claim, None, shipped).place == "never_retrieved"
    assert place(make_claim(1, "It is so.", [], ["W:zzzzzzzz"]), None, shipped).place == "invented"
    assert place(claim, None, ours).place == "unknown"


STOVE = "B0SABOT099"
"""No search for bird feeders finds it."""
WRONG = SENTENCES["wrong_price"]
FEEDER = SOLD[0]
PRODUCTS = [
    *SOLD,
    FEEDER.model_copy(
        update={"product_id": STOVE, "title": "Farfield Camp Stove", "price": 45.0, "store": "Farfield", "details": {}}
        | {"categories": ("Camping",), "category": "Sports_and_Outdoors"}
    ),
]


def spoilt(sentence: str, synthesis: Spoiling = lambda answer: answer) -> Saboteur:
    """Puts a sentence below the title of the report, and does something to what researchers hand on."""

    def spoil(answer: AIMessage) -> AIMessage:
        if not answer.text.startswith("# "):
            return answer if answer.tool_calls and "insights" not in answer.tool_calls[0]["args"] else synthesis(answer)
        title, _, rest = answer.text.partition("\n")
        return AIMessage(f"{title}\n\n{sentence}\n{rest}")

    return Saboteur(("alone", "synthesis", "report"), spoil, stubborn=True, of_reports=False)


def forgetting(answer: AIMessage) -> AIMessage:
    """An intermediate report without the feeder, however it was answered."""
    called = answer.tool_calls[0] if answer.tool_calls else None
    given = json.loads(answer.text) if called is None else called["args"]
    kept = {
        "insights": [one for one in given["insights"] if GOOD not in str(one["citations"]) + one["statement"]],
        "sources": [source for source in given["sources"] if source["evidence"] != f"P:{GOOD}"],
        "open_questions": ["What else is there?"],
    }
    return AIMessage(json.dumps(kept)) if called is None else AIMessage("", tool_calls=[called | {"args": kept}])


def an_experiment(folder: Path, shop: World, agent: str, saboteur: Saboteur) -> Path:
    sut = SystemUnderTest.of(agent, load_agent(agent), {"": model(saboteur)}, shop, limits=Limits())
    recorded = asyncio.run(Runner(shop, "w").run(sut, QUERY))
    assert recorded.run.status == "done"
    with Experiment(folder, build.definition([QUERY], {recorded.run.system: sut.system})) as opened:
        opened.save(recorded.run, recorded.evidence, recorded.texts, {})
    return folder


CASES = {
    "of what it was handed": ("react", spoilt(WRONG), "distorted", "18.75"),
    "not handed on": ("hybrid_react", spoilt(WRONG, forgetting), "lost", "no intermediate report says so"),
    "of what nobody looked up": (
        "react",
        spoilt(f"The Farfield Camp Stove costs $44.00 [P:{STOVE}]."),
        "never_retrieved",
        f"never handed P:{STOVE}",
    ),
    "of what nobody has": ("react", spoilt(SENTENCES["invented_product"]), "invented", "P:B0INVENTED"),
}
"""By what the mistake is: agent, saboteur, the place where it was made, and words of the reason."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("places") / "world"
    build.build_world(folder, PRODUCTS, ORDERS)
    with open_world(folder, web=SandboxWeb(PAGES)) as opened:
        yield opened


def scored(folder: Path, store: Store | None, *metrics: str) -> dict[str, Score]:
    judge = Judge.of(open_model("offline:judge"))
    names = metrics or ("faithfulness", NAME)
    made = build.scored(folder, names, judge, store=store)
    return {each.variant: each for each in made.scores if each.metric == NAME and each.policy == "answered"}


def places_of(folder: Path) -> dict[str, tuple[str, str]]:
    """By the words of each wrong claim, its place and why."""
    (run,) = read_view(folder).runs
    return {
        claim.text: (claim.fault.kind, claim.fault.reason) for claim in run.claims[0].claims if claim.fault is not None
    }


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_put_where_it_was_made(shop: World, tmp_path: Path, case: str) -> None:
    agent, saboteur, place, why = CASES[case]
    folder = an_experiment(tmp_path / "exp", shop, agent, saboteur)
    rows = scored(folder, shop.store)
    found = list(places_of(folder).values())
    assert {each for each, _ in found} == {place}
    assert all(why in reason for _, reason in found)
    assert (len(found), rows["n_wrong"].value, rows["n_placed"].value) == (1, 1, 1)
    assert {each: rows[each].value for each in PLACES} == {each: float(each == place) for each in PLACES}
    assert f"Where it went wrong: <strong>{place.replace('_', ' ')}</strong>. " in render_page(folder)


def test_an_honest_report_has_nothing_to_place_nor_one_without_a_world(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "hybrid_react", spoilt(""))
    rows = scored(folder, shop.store)
    assert rows["n_wrong"].value == 0
    assert {rows[each].n_na for each in PLACES} == {1}

    folder = an_experiment(tmp_path / "wrong", shop, "react", spoilt(WRONG))
    row = scored(folder, None)["n_wrong"]
    assert (row.value, row.n_na) == (None, 1)
    assert any("takes the world" in item for item in row.items)
    assert places_of(folder) == {}


@pytest.mark.parametrize(("confirmed", "placed"), [(True, "distorted"), (False, "unknown")])
def test_a_typed_value_places_a_claim_only_if_the_judge_confirms_it(
    shop: World, tmp_path: Path, *, confirmed: bool, placed: str
) -> None:
    report = f"The bed is yours for forty-one dollars [{BED_ID}]."

    def answer(text: str) -> Any:
        if "about to be called false" in text:
            own = {"claim_id": 1, "quote": "forty-one dollars", "justification": "It is.", "confirmed": confirmed}
            return {"confirmations": [own]}
        if "list its claims" in text:
            price = said_value("price", "41", "forty-one dollars", BED_ID)
            return {"claims": [stated(1, "The bed costs $41.", BED_ID, quote="The bed is yours", values=[price])]}
        return support("no")

    folder = build.experiment(tmp_path, {"a@m": {"q1-r1": report}}, picks={"q1-r1": ()}, evidence=EVIDENCE.values())
    made = build.scored(folder, ("faithfulness", NAME), build.scripted_judge(answer)[0], store=shop.store)
    found = {row.variant: row.value for row in made.scores if row.metric == NAME and row.policy == "answered"}
    assert (found["n_wrong"], found[placed]) == (1, 1)


def test_places_stay_without_the_world_where_claims_are_ruled_as_before(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    row = scored(folder, shop.store, NAME)["n_wrong"]
    assert row.n_na == 1
    assert any("score faithfulness" in item for item in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 1, "once they are judged it is placed"
    before = build.files(folder / "verdicts" / NAME)
    assert scored(folder, None)["n_placed"].value == 1
    assert build.files(folder / "verdicts" / NAME) == before
    (path,) = (each for each in (folder / "verdicts" / "faithfulness").rglob("*.jsonl") if "journal" not in each.name)
    lines = [json.loads(splitline) for splitline in path.read_text(encoding="utf-8").splitlines()]
    ruled = next(line for line in lines if line["stage"] == "support" and line.get("value") == 0)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in [*lines, ruled | {"value": 1.0}]), encoding="utf-8")
    row = scored(folder, None)["n_wrong"]
    assert (row.value, row.n_na) == (None, 1)
    assert any("score --world" in item for item in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 0

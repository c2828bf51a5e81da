"""Systems set beside themselves: on other sandboxes, in a perturbed world, as another user, told more or less."""

import json
from pathlib import Path

import pytest

from drretail.files import write_json, write_lines
from drretail.querygen.shipped import shipped_queries
from drretail.records.base import canonical_json
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import SYSTEM
from tests.cli.commands import Command, ErrorOf
from tests.eval.families.dr3.research import CARE, CARE_ID, EVIDENCE, GOLD, ORDERS_ID, QUERY, RECALL, RECALL_ID
from tests.two_tastes import BIRDS, build_shop

ALL = f"It cost $22.99 [{ORDERS_ID}]. Clean it [{CARE_ID}]. It was recalled [{RECALL_ID}]."
LESS = f"It cost $22.99 [{ORDERS_ID}]."
QUERIES = tuple(QUERY.model_copy(update={"query_id": name}) for name in ("q1", "q2", "q3"))


def on(size: str, compose: str | None = None) -> System:
    options = {"size": size} | ({} if compose is None else {"compose": compose})
    return SYSTEM.model_copy(update={"options": options, "web_corpus": f"{size}{compose}"})


def sandbox(folder: Path) -> Path:
    for query in QUERIES:
        task = folder / "tasks" / query.query_id
        write_json(task / "gold.json", GOLD.model_copy(update={"query_id": query.query_id}).model_dump(mode="json"))
        labels = [{"url": CARE, "label": "supportive"}, {"url": RECALL, "label": "distractor"}]
        write_lines(task / "labels.jsonl", map(canonical_json, labels))
    return folder


def experiment(folder: Path, systems: list[tuple[System, str]]) -> Path:
    sandbox(folder.parent / "S")
    reports = {each.label(): {f"{query.query_id}-r1": report for query in QUERIES} for each, report in systems}
    of = {each.label(): each for each, _ in systems}
    return build.experiment(folder, reports, queries=QUERIES, of=of, evidence=EVIDENCE)


def test_scores_stand_by_size_and_composition_with_what_distractors_cost(succeeds: Command, tmp_path: Path) -> None:
    systems = [(on("512k"), LESS), (on("32k"), ALL), (on("512k", "no_distractor"), ALL)]
    folder = experiment(tmp_path / "exp", systems)
    succeeds("score", "exp", "--metrics", "dr3", "--gold", "S")
    (table,) = json.loads(succeeds("compare", "exp", "--by", "size", "--metric", "dr3:CC", "--json").stdout)["size"]
    cells = table["rows"][0]["cells"]
    assert [(cell["setting"], cell["at"], round(cell["mean"], 1)) for cell in cells] == [
        ("32k", 32000, 100),
        ("512k", 512000, 33.3),
    ]
    output = succeeds("compare", "exp", "--by", "compose", "--metric", "dr3:CC").stdout
    assert "no distractors" in output
    assert "Distractor effect: dr3 CC" in output
    assert "-66.67" in output
    made = json.loads(succeeds("compare", "exp", "--by", "compose", "--json").stdout)
    assert {each["variant"] for each in made["distractors"]} >= {"CC"}
    succeeds("report", "exp")
    page = (folder / "report.html").read_text(encoding="utf-8")
    shown = ("dr3 CC against size", 'id="by-compose"', 'id="distractors"')
    assert [part for part in shown if part not in page] == []


@pytest.mark.parametrize(("by", "message"), [("size", "two sizes"), ("web", "two modes")])
def test_where_nothing_differs_the_error_says_why(error_of: ErrorOf, tmp_path: Path, by: str, message: str) -> None:
    experiment(tmp_path / "exp", [(on("32k"), ALL)])
    assert message in error_of("compare", "exp", "--by", by)


AGENT = "react@offline-shopper"


def test_an_agent_meets_itself_on_the_same_queries_in_both_worlds(succeeds: Command, tmp_path: Path) -> None:
    made = json.loads(succeeds("synth", "--perturb", "demo", "--to", "other", "--json", "-q").stdout)
    assert succeeds("world", "check", "other", "-q").stdout.split() == ["ok", made["fingerprint"]]
    asked = [query for query in shipped_queries("dev")[:4] if query.query_id != "dev-02"]  # no cart meets it
    write_lines(tmp_path / "here.jsonl", (query.as_line() for query in asked))
    succeeds("queries", "carry", "here.jsonl", "--world", "other", "--to", "there.jsonl")
    succeeds("queries", "check", "there.jsonl", "--world", "other", "-q")
    for name, world in (("here", "demo"), ("there", "other")):
        succeeds("run", "--world", world, "--queries", f"{name}.jsonl", "--agent", "react", "--to", name, "-q")
        succeeds("score", name, "-q")
    (both,) = json.loads(succeeds("compare", "here", "--beside", "there", "--json", "-q").stdout)["comparisons"]
    assert (both["a"], both["b"]) == (AGENT, f"{AGENT}@there")
    rows = {(row["metric"], row["variant"]): row for table in both["tables"] for row in table["rows"]}
    assert rows["checks", "clean"]["n_pairs"] == 3
    report = next((tmp_path / "there" / "runs").glob(f"*react*/{asked[0].query_id}-r1/run.json"))
    ids = json.loads((tmp_path / "other" / "perturbed.json").read_text(encoding="utf-8"))["ids"]
    assert not any(old in report.read_text(encoding="utf-8") for old in ids)


def test_a_query_of_another_world_is_told_in_a_sentence(
    succeeds: Command, error_of: ErrorOf, shop: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "q.jsonl", [build.query(world_fingerprint="a" * 64).as_line()])
    succeeds("synth", "--perturb", shop, "--to", "other", "-q")
    asked = ("queries", "carry", "q.jsonl", "--to", "q2.jsonl", "--world")
    assert "was made for the world" in error_of(*asked, "other")
    assert "no perturbed world" in error_of(*asked, "q.jsonl")


def test_swapped_systems_run_beside_and_score_shows_what_changed(succeeds: Command, tmp_path: Path) -> None:
    wish = Wish(wants=(Want(name="feeder", kinds=("bird feeder",), again=True),), budget=Money.of(30))
    text = "I bought a feeder. Another bird feeder under $30?"
    query = Query(query_id="q1", user_id=BIRDS, text=text, source="t", wish=wish)
    (tmp_path / "q.jsonl").write_text(f"{query.as_line()}\n", encoding="utf-8")
    build_shop(tmp_path / "w")
    swaps = ("--counterfactual", "swap", "--counterfactual", "neutral")
    succeeds("run", "--queries", "q.jsonl", "--to", "exp", "--world", "w", "--repeats", "2", *swaps)
    systems = {path.name for path in (tmp_path / "exp" / "runs").iterdir()}
    assert systems >= {AGENT, f"{AGENT}-counterfactual-swap", f"{AGENT}-counterfactual-neutral"}
    assert not any(name.startswith("null_") and "counterfactual" in name for name in systems)
    scored = succeeds("score", "exp", "--metrics", "checks", "--details")
    assert "counterfactual, by code" in scored.stdout
    assert "profile ignored" in scored.stdout
    assert "1 of 1 queries name a purchase that the other profile lacks" in scored.stdout
    rows = json.loads((tmp_path / "exp" / "scores.json").read_text())["counterfactuals"]
    assert {row["kind"] for row in rows} == {"swap", "neutral"}
    first = (tmp_path / "exp" / "scores.json").read_bytes()
    succeeds("score", "exp", "--metrics", "checks")
    assert (tmp_path / "exp" / "scores.json").read_bytes() == first

"""Two scored experiments with rows of every metric: by a judge of moods, and by code alone."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from drretail import run
from drretail import score as score_by_code
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.experiments.experiment import run_path
from drretail.files import write_json
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import Reports
from tests.eval.every_question import Changed, every_answer
from tests.eval.metrics.faithfulness.reports import BED, BIRDS, BIRDS_ID, BLOCKED_ID, BOWL, EVIDENCE, ORDER, PAGE
from tests.run_files import edit_run
from tests.shop import OTHER, USER, build_shop

A, B = "a@model", "b@model"
JUDGED = (*(name for name in METRICS if load_metric(name).needs_judge), PAIRWISE)
CODE = tuple(name for name in METRICS if not load_metric(name).needs_judge)

INTRODUCTION = "# Beds and bowls\n\nThis is what I found for you.\n\n"
BEDS = f"## Beds\n\nThe bed costs $49.99 [{BED.id}]. It is washable [{BED.id}] [{BIRDS_ID}]. Any dog likes it.\n\n"
BOWLS = (
    f"## Bowls\n\nThe bowl is blue [{BOWL.id}]. You bought two of them [{ORDER.id}]. A lid is sold [P:B0NOWHERE1].\n\n"
)
WILDLIFE = f"## Birds\n\nCardinals like seeds [{BIRDS_ID}]. Cedar lasts [{BLOCKED_ID}] [{BIRDS_ID}].\n\n"
WALLED = f"## Care\n\nIt dries fast [{BLOCKED_ID}]. Wash it cold.\n\n"
END = "## In short\n\nTake the bed.\n"
REPORTS: Mapping[str, Reports] = {
    A: {
        "q1-r1": INTRODUCTION + BEDS + BOWLS + WILDLIFE + END,
        "q1-r2": INTRODUCTION + BEDS + WALLED + END,
        "q2-r1": INTRODUCTION + BOWLS + WILDLIFE + WALLED + BEDS + END,
        "q2-r2": None,
        "q3-r1": INTRODUCTION + WALLED + WILDLIFE + END,
    },
    B: {
        "q1-r1": INTRODUCTION + BOWLS + BEDS + WALLED + END,
        "q1-r2": INTRODUCTION + WILDLIFE + BOWLS + END,
        "q2-r1": None,
        "q2-r2": INTRODUCTION + "Buy whatever you like.\n",
        "q3-r1": INTRODUCTION + BEDS + WILDLIFE + BOWLS + END,
    },
}
INSIGHTS = {
    "files": [{"id": "f1", "text": "The last bowl cost $12.50.", "stands_in": "orders.csv"}],
    "sandbox": [
        {"id": "s1", "text": "Cardinals eat sunflower seeds.", "stands_in": BIRDS},
        {"id": "s2", "text": "Cedar rots in ten years.", "stands_in": "https://cedar.example/rot"},
        {"id": "s3", "text": "Nobody knows where this stands.", "stands_in": ""},
    ],
}
DOCUMENTS = {
    "files": [{"title": "orders.csv"}],
    "sandbox": [{"title": "Birds", "url": BIRDS}, {"title": "Rot", "url": "https://cedar.example/rot"}],
}
GOLD = {part: {"insights": INSIGHTS[part], "documents": DOCUMENTS[part]} for part in INSIGHTS}
PLACES = {"supportive": ["https://cedar.example/rot"], "distractors": [BIRDS]}

LABELS = {
    "ClaimsSupport": ("full_support", "full_support", "partial_support", "no_support", "contradicted"),
    "SupportedFacts": ("supported", "supported", "partly_supported", "unsupported", "unknown"),
    "Factuality": (1, 0, -1),
    "FoundInsights": ("full", "partial", "none"),
}
MOODS: Mapping[str, Callable[[Random], Any]] = {
    "rating": lambda mood: mood.randint(1, 10),
    "winner": lambda mood: mood.choice("AB"),
    "target_score": lambda mood: mood.randint(0, 10),
    "support": lambda mood: mood.choice(LABELS["ClaimsSupport"][1:4]),
    "met": lambda mood: mood.random() < 0.6,
    "score": lambda mood: mood.randint(0, 4),
    **dict.fromkeys(
        ("comprehensiveness", "coherence", "clarity", "insight", "overall"), lambda mood: mood.randint(0, 4)
    ),
}
"""What the judge answers in fields of these names; the question alone decides."""


def moody(title: str, question: str, answer: Any) -> Any:
    """The answer with other ratings and labels, the same to the same question."""
    mood = Random(f"{title}: {question}")

    def changed(given: Any, name: str = "") -> Any:
        if isinstance(given, dict):
            return {key: changed(value, key) for key, value in given.items()}
        if isinstance(given, list):
            return [changed(each) for each in given]
        if name == "label":
            return mood.choice(LABELS[title])
        return MOODS[name](mood) if name in MOODS else given

    match title:
        case "ReportClaims" | "ClaimsAndPicks" | "CitedClaims" | "AllClaims":
            for claim in answer["claims"]:
                claim["sources"] = [word.split("]")[0] for word in claim["claim"].split("[")[1:]]
            return answer
        case _:
            return changed(answer)


def recorded_experiment(folder: Path, reports: Mapping[str, Reports] = REPORTS) -> Path:
    """Reports by two systems on queries of one user, with gold for the first query, before anything is judged."""
    page = PAGE.model_copy(update={"texts": (PAGE.texts[0].model_copy(update={"shown": True}),)})
    handed = (*(entry for entry in EVIDENCE.values() if entry != PAGE), page)
    users = {name.partition("-")[0]: "ann" for by_run in reports.values() for name in by_run if name < "q3"}
    build.experiment(folder, reports, users=users, evidence=handed)
    write_json(folder / "gold/q1.json", {"format": 1, "query_id": "q1", **GOLD})
    write_json(folder / "labels/q1.json", {"format": 1, "query_id": "q1", **PLACES})
    return folder


def judged_experiment(folder: Path, reports: Mapping[str, Reports] = REPORTS, changed: Changed = moody) -> Path:
    """The same by a judge of moods; of all nine planned runs two failed."""
    judge, _ = every_answer(sentences=1, changed=changed)
    build.scored(recorded_experiment(folder, reports), JUDGED, judge)
    return folder


def shopped_experiment(folder: Path) -> Path:
    """Three agents in a tiny shop, with all tools and without the web, on wishes of every kind; one run failed."""
    feeder, bath = Want(name="feeder", kinds=("bird feeder",)), Want(name="bath", kinds=("bird bath",))
    kayak = Want(name="kayak", kinds=("kayak",))
    asked = {
        "q1": ("Which bird feeder suits me, under $30?", Wish(wants=(feeder,), budget=Money.of(30)), USER),
        "q2": ("A kayak for under $20, please.", Wish(wants=(kayak,), budget=Money.of(20)), USER),
        "q3": ("A bird feeder and a bird bath under $120.", Wish(wants=(feeder, bath), budget=Money.of(120)), OTHER),
        "q4": ("What did I order last, and how do I clean it?", Wish(wants=()), USER),
    }
    tools = ("product_catalog_search", "get_user_profile")
    queries = [
        Query(query_id=name, user_id=user, text=text, wish=wish, expected_tools=tools, source="test")
        for name, (text, wish, user) in asked.items()
    ]
    build_shop(folder / "world")
    made = folder / "exp"
    agents = ["react", "grounded_hybrid", "null_search"]
    run(
        folder / "world",
        queries,
        agents,
        model="offline:shopper",
        to=made,
        baselines=False,
        repeats=2,
        vary={"without": "none,web"},
    )
    lost = run_path(made, "react@offline-shopper", "q3", 2)
    error = {"kind": "no_report", "where": "react", "message": "no"}
    without = dict.fromkeys(("report", "report_sha", "picks", "outcome"))
    edit_run(lost, status="failed", stop="error", error=error, citations=[], **without)
    score_by_code(made, metrics=CODE)
    return made

"""``--sources live``: claims against cited pages as they are now, beside the ledger's verdicts."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from drretail.env.web.base import WebPage
from drretail.eval.claims.claims import SUPPORT, SUPPORT_LIVE
from drretail.eval.families.faithfulness.judge import AS_IN_LEDGER
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.scoring import score
from drretail.progress import Progress
from drretail.records.score import Rules, Scores, Verdict
from tests.build import LABEL, experiment
from tests.eval.families.faithfulness.reports import (
    BIRDS,
    BIRDS_ID,
    BLOCKED,
    BLOCKED_ID,
    EVIDENCE,
    claim,
    judged,
    offline_judge,
    scripted,
    subject,
    support,
    values,
)

UNSEEN = "https://unseen.example/x"
SEEDS = "Cardinals prefer sunflower seeds."
REPORT = f"{SEEDS[:-1]} [{BIRDS_ID}]."
IN_LEDGER = next(text.text for text in EVIDENCE[BIRDS_ID].texts if text.form == "page")


def looking_again(report: str, pages: Mapping[str, WebPage]) -> Subject:
    async def page_at(url: str) -> WebPage:
        return pages.get(url) or WebPage(url, "", "", "error", problem="There is no such page (404).")

    return replace(subject(report), page_at=page_at)


def page(url: str, text: str, date: str | None = None) -> WebPage:
    return WebPage(url, "A page", text, "ok", date)


def by_stage(folder: Path, judge: Judge, about: Subject, rules: Rules = "default") -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for verdict in judged(folder, judge, about, rules):
        found.setdefault(verdict.stage, []).append(verdict)
    return found


def test_a_page_that_changed_is_judged_again_and_the_ledgers_verdict_stays(tmp_path: Path) -> None:
    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"), support("no", "it says other"))
    about = looking_again(REPORT, {BIRDS: page(BIRDS, "Cardinals eat worms.")})
    found = by_stage(tmp_path, judge, about)
    (ledger,), (live,) = found[SUPPORT], found[SUPPORT_LIVE]
    assert (ledger.value, live.value, live.reason) == (1, 0, "it says other")
    assert ledger.sources != live.sources
    made = values(about, [verdict for verdicts in found.values() for verdict in verdicts])
    assert (made["FP_web"].value, made["FP_web_live"].value, made["FP"].value) == (1, 0, 1)


def test_a_page_that_reads_as_in_the_ledger_is_not_asked_about_again(tmp_path: Path) -> None:
    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"))
    found = by_stage(tmp_path, judge, looking_again(REPORT, {BIRDS: page(BIRDS, IN_LEDGER)}))
    (live,) = found[SUPPORT_LIVE]
    assert (live.value, live.notes) == (1, (AS_IN_LEDGER,))


def test_unreadable_pages_are_unverifiable_and_say_why(tmp_path: Path) -> None:
    report = f"Owls are loud [{BLOCKED_ID}], see {UNSEEN} too."
    judge = scripted({"claims": [claim(1, "Owls are loud.", BLOCKED_ID, UNSEEN)]})
    about = looking_again(report, {BLOCKED: WebPage(BLOCKED, "", "", "blocked", problem="robots.txt forbids it.")})
    found = by_stage(tmp_path, judge, about)
    (live,) = found[SUPPORT_LIVE]
    assert (live.state, live.value) == ("unverifiable", None)
    assert f"{BLOCKED_ID} (robots.txt forbids it.)" in live.reason
    assert f"{UNSEEN} (There is no such page (404).)" in live.reason
    made = values(about, [verdict for verdicts in found.values() for verdict in verdicts])
    assert made["FP_web_live"].state == "unverifiable"


def test_a_page_that_the_run_could_not_read_counts_once_it_can_be_read(tmp_path: Path) -> None:
    report = f"Owls are loud [{BLOCKED_ID}], see {UNSEEN} too."
    judge = scripted({"claims": [claim(1, "Owls are loud.", BLOCKED_ID, UNSEEN)]}, support("full"))
    about = looking_again(report, {UNSEEN: page(UNSEEN, "Owls are loud.", "2023-01-02")})
    found = by_stage(tmp_path, judge, about)
    (ledger,), (live,) = found[SUPPORT], found[SUPPORT_LIVE]
    assert (ledger.state, live.value, live.notes) == ("unverifiable", 1, ("partial_content",))
    assert [source.id for source in live.sources] == [UNSEEN]


def test_products_and_internal_sources_are_left_to_the_ledger(tmp_path: Path) -> None:
    report = "The bed is soft [P:B0BED00001]. You have the bowl [O:0000000001]."
    found = by_stage(tmp_path, offline_judge(), looking_again(report, {}))
    assert len(found[SUPPORT]) == 2
    assert SUPPORT_LIVE not in found


def test_a_second_time_nothing_is_asked_and_without_live_there_is_no_column(tmp_path: Path) -> None:
    about = looking_again(REPORT, {BIRDS: page(BIRDS, "Cardinals prefer sunflower seeds. They sing.")})
    plain = judged(tmp_path, offline_judge(), subject(REPORT))
    assert "FP_web_live" not in values(subject(REPORT), plain)
    first = judged(tmp_path, offline_judge(), about)
    assert [verdict for verdict in first if verdict.stage != SUPPORT_LIVE] == plain
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert judged(tmp_path, offline_judge(), about) == first
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


class Site:
    """The open web of a test, where one page is."""

    provider = "site"

    def __init__(self) -> None:
        self.fetched: list[str] = []

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        return (
            page(url, "Northern cardinals prefer sunflower seeds.") if url == BIRDS else WebPage(url, "", "", "error")
        )


def scored(folder: Path, site: Site | None) -> Scores:
    live = None if site is None else {LABEL: site}
    scoring = score(folder, ["faithfulness"], [offline_judge()], progress=Progress(), live=live)
    return asyncio.run(scoring)


def test_an_experiment_is_scored_by_live_pages_once_and_then_from_what_was_written_down(tmp_path: Path) -> None:
    reports = {
        "q1-r1": f"Northern cardinals prefer sunflower seeds ({BIRDS}).",
        "q2-r1": f"Northern cardinals prefer sunflower seeds ({UNSEEN}).",
        "q3-r1": "Nothing is cited here, and nothing is said.",
        "q4-r1": None,
    }
    folder, site = experiment(tmp_path / "exp", {LABEL: reports}), Site()
    assert all(row.variant != "FP_web_live" for row in scored(folder, None).scores)
    first = scored(folder, site)
    (row,) = [it for it in first.scores if (it.variant, it.policy) == ("FP_web_live", "answered")]
    assert (row.value, row.n_scored, row.n_unverifiable, row.n_na, row.n_failed) == (1, 1, 1, 1, 1)
    assert sorted(site.fetched) == sorted([BIRDS, UNSEEN])
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert scored(folder, site) == first
    assert len(site.fetched) == 2
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    # And once judged, the column stays when nobody looks again.
    assert scored(folder, None) == first

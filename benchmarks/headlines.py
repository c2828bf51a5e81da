"""Whether each planted error moves a headline, where an ideal reader reads: the labels' claims through real scoring.

    python benchmarks/headlines.py SET [--experiment DIR] [--world WORLD] [--typed] [--misses] [--json FILE]

SET is laid out as ``labelled_reports.py`` says. The honest reports and their copies become an experiment, and a judge
that knows the labels reads them: a claim for each labelled value and one for each cited sentence. What a copy exchanges
is labelled as its kind says; all else is true. Of a page the judge believes what it is shown alone: a year
that is neither in the source's tag nor in its text is not supported.
A headline moves in the right direction if FP or clean is lower than in the honest report, or false_statements higher.
With ``--typed`` only ``feasible`` is printed, for queries as they ship today: with a typed wish and decided demands.
"""

import asyncio
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from figures import keep
from labelled_reports import LabelledReport, Planted, arguments, read_set, world_of

from drretail.env.world import World
from drretail.eval.baskets import made_references
from drretail.eval.judging.session import Judge
from drretail.eval.registry import load_metrics
from drretail.eval.scores.gathering import Assessor, gather
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.page import read_page
from drretail.grounding.report.picks import take_picks
from drretail.grounding.text.layout import find_sentences
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.progress import Progress
from drretail.querygen.reading import shipped_queries
from drretail.records.base import sha256_of
from drretail.records.evidence import Citation, Evidence
from drretail.records.reading import Pick, ReadValue
from drretail.records.run import Run, System
from drretail.records.score import Rules
from drretail.run_file import Recorded

METRICS = ("faithfulness", "false_statements", "checks")
RISES = {"FP": False, "clean": False, "false_statements": True}
"""The headlines, and whether an error is to raise them."""
UNSUPPORTED = ("citation moved", "invented feature", "instruction of a page")
"""How the kinds begin whose statement no source denies; the sources of all others say otherwise."""
HONEST = "honest"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TOLD = re.compile(r"\bbuy (.+?)(?: before\b|[.,;])")
_CLAIM = re.compile(r'<claim id="(\d+)" sources="([^"]*)">\n(.*?)\n</claim>', re.DOTALL)
_TEXT = re.compile(r'<source id="([^"]*)"[^>]*>\n(.{1,60})')
_SOURCE = re.compile(r'<source id="(W:[^"]*)"(.*?)</source>', re.DOTALL)


@dataclass
class IdealJudge:
    """Claims and labels of every version of every report, by the report's text and by claim."""

    claims: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    wrong: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """The labels of claims that are not true, by their words and sources."""

    def read(self, labelled: LabelledReport, copy: Planted | None) -> None:
        text = read_page(as_recorded(labelled.report if copy is None else copy.report)).shown
        reading = labelled.ideal(copy)
        edit = None if copy is None else edited(labelled.report, copy.report)
        claims = self.claims.setdefault(text, [])
        # An error in a labelled value is that value's; the other claim on its words is true.
        is_of_value = edit is not None and any(_meet((one.start, one.end), edit) for one in reading.values)
        for words, quote, place, sources, values in claims_of(labelled, text, reading.values):
            is_wrong = edit is not None and _meet(place, edit) and (bool(values) or not is_of_value)
            if is_wrong and copy is not None:
                is_denied = not copy.kind.startswith(UNSUPPORTED)
                self.wrong[words, " ".join(sources)] = "contradicted" if is_denied else "no_support"
            claims.append({"claim": words, "quote": quote, "sources": sources, "values": values})

    def play(self, request: Request) -> ScriptedAnswer:
        asked = request.messages[0].text
        if request.schema == "Support":  # the paper's rules ask about one claim alone
            asked = "\n".join(message.text for message in request.messages)
            claim, sources = (tag_content("claim", asked) or "").strip(), re.findall(r'<source id="([^"]*)"', asked)
            ruled = self._ruled(1, claim, " ".join(sources), asked)
            label = "no_support" if ruled["label"] == "contradicted" else ruled["label"]
            quote = next(iter(ruled["quotes"]), "")
            answer = {"quote": quote, "justification": ruled["justification"], "support": label}
            return ScriptedAnswer(structured=answer)
        if found := _CLAIM.findall(asked):
            ruled = [self._ruled(int(number), words, sources, asked) for number, sources, words in found]
            return ScriptedAnswer(structured={"claims": ruled})
        part = _flat(re.findall(r"<report>\n(.*?)\n</report>", asked, re.DOTALL)[-1])
        own = next(claims for text, claims in self.claims.items() if part in _flat(text))
        within = [claim for claim in own if _flat(claim["quote"]) in part]
        if request.schema in ("CitedClaims", "AllClaims"):  # the paper's: no values
            within = [{name: claim[name] for name in ("claim", "quote", "sources")} for claim in within]
        numbered = [{"claim_id": number, **claim} for number, claim in enumerate(within, 1)]
        return ScriptedAnswer(structured={"claims": numbered})

    def _ruled(self, number: int, words: str, sources: str, asked: str) -> dict[str, Any]:
        label = self.wrong.get((words, sources), "full_support")
        source = " ".join(tag for name, tag in _SOURCE.findall(asked) if name in sources.split())
        unseen = [one for one in _YEAR.findall(words) if one not in source]
        if label == "full_support" and source and unseen:
            label = "partial_support"
        why = f"not shown: {unseen}" if unseen else "as labelled"
        # Support needs a quote that a source holds.
        held = dict(reversed(_TEXT.findall(asked)))
        quotes = [held[name] for name in (*sources.split(), "Q") if name in held][:1]
        return {"claim_id": number, "quotes": quotes, "justification": why, "label": label}


def _flat(text: str) -> str:
    """The words alone: what a prompt shows of a report may lack some signs."""
    return " ".join(re.findall(r"\w+", text))


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def as_recorded(report: str) -> str:
    """The report without its block of picks, as a run keeps it."""
    return take_picks(report).report


def claims_of(
    labelled: LabelledReport, text: str, values: Sequence[ReadValue]
) -> Iterator[tuple[str, str, tuple[int, int], list[str], list[dict[str, Any]]]]:
    """Words, quote, place, sources and values of each claim: one for each value, one for the words of each mark."""
    citations = find_citations(text, labelled.evidence)
    for sentence in find_sentences(text):
        cited = [one for one in citations if sentence.start <= one.start < sentence.end]
        whole = text[sentence.start : sentence.end].strip()
        for value in (one for one in values if sentence.start <= one.start < sentence.end):
            owner = next((one for one in cited if one.start >= value.end), cited[-1] if cited else None)
            named = [source for source in value.of if source in text]
            typed = value.model_dump(include={"kind", "relation"}, mode="json")
            low, high = value.amount if isinstance(value.amount, tuple) else (value.amount, "")
            quote = text[value.start : value.end]
            typed |= {"amount": low, "amount_to": high, "currency": value.currency or "", "quote": ""}
            sources = named or ([] if owner is None else _names([owner]))
            place = (value.start, value.end)
            yield f"{value.kind} {quote}: {whole}", quote, place, sources, [typed | {"of": named}]
        start = sentence.start
        for marker in dict.fromkeys((one.start, one.end) for one in cited):
            words = text[start : marker[0]]
            if re.search(r"\w", words):
                own = [one for one in cited if one.start == marker[0]]
                following = [one for one in cited if one.start > marker[0]]
                for one in following:  # marks that stand together
                    if re.search(r"\w", text[own[-1].end : one.start]):
                        break
                    own.append(one)
                yield words.strip(), words.strip(), (start, own[-1].end), _names(own), []
            start = marker[1]


def _names(citations: Sequence[Citation]) -> list[str]:
    return list(dict.fromkeys(one.evidence_id or one.marker.strip("[]") for one in citations))


def with_page(entry: Evidence, world: World) -> Evidence:
    """The entry with its page, as a run fetches the pages that it cites."""
    if not entry.lacks_page or entry.url is None:
        return entry
    page = world.web.fetch(entry.url)
    return entry.with_page(page.text, page.state, page.date, page.problem)


def edited(before: str, after: str) -> tuple[int, int]:
    """The place in the copy of what differs."""
    start = next(at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
    same = next(at for at, (a, b) in enumerate(zip(reversed(before), reversed(after), strict=False)) if a != b)
    return start, max(start + 1, len(after) - min(same, len(before) - start, len(after) - start))


def experiment_of(
    folder: Path, reports: Sequence[LabelledReport], world: World, fingerprint: str | None = None
) -> IdealJudge:
    """Writes the runs of all versions, and returns who reads them."""
    judge = IdealJudge()
    queries = [report.query.model_copy(update={"query_id": report.home.name}) for report in reports]
    asked = {HONEST: tuple(query.query_id for query in queries)}
    for at in range(1, max(len(report.planted) for report in reports) + 1):
        asked[f"copy-{at}"] = tuple(report.home.name for report in reports if len(report.planted) >= at)
    systems = {name: System(agent="labels", models={}) for name in asked}
    definition = Definition(
        queries=tuple(queries),
        systems=systems,
        asked=asked,
        now=world.manifest.now,
        world_fingerprint=fingerprint,
    )
    with Experiment(folder, definition) as opened:
        for report in reports:
            evidence = [with_page(entry, world) for entry in report.evidence.values()]
            for label, copy in ((HONEST, None), *((f"copy-{at}", one) for at, one in enumerate(report.planted, 1))):
                judge.read(report, copy)
                text = as_recorded(report.report if copy is None else copy.report)
                run = Run(
                    run_id=f"{label}/{report.home.name}-r1",
                    system=label,
                    query_id=report.home.name,
                    user_id=report.query.user_id,
                    repeat=1,
                    status="done",
                    stop="finished",
                    report=text,
                    report_sha=sha256_of(text),
                    picks=report.picks if copy is None else picks_in(report, copy),
                    citations=tuple(find_citations(text, report.evidence)),
                )
                opened.save(Recorded(run, tuple(evidence), {}, {}))
    return judge


def print_feasible(folder: Path, reports: Sequence[LabelledReport], world: World) -> None:
    """Prints ``feasible`` of every version by the wish and decisions of the shipped query of the same text."""
    shipped = {query.text: query for query in shipped_queries("dev")}
    typed = [replace(report, query=shipped.get(report.query.text, report.query)) for report in reports]
    experiment_of(folder, typed, world, fingerprint=world.manifest.fingerprint)
    references = made_references(folder, world)
    asyncio.run(score(folder, ["basket"], [], store=world.store, references=references, progress=Progress()))
    gathered = gather(folder, load_metrics(["basket"]))
    for key in gathered.tables_of_judges:
        for plan, judged in gathered.judged_runs(key.metric, key.assessor):
            print(f"{plan.query.query_id} {plan.label}: feasible {judged.values['feasible'].value}")


def picks_in(report: LabelledReport, copy: Planted) -> tuple[Pick, ...]:
    """The picks of a copy; of an instruction that is followed, what it tells to buy is one, whether the shop has it."""
    changed = copy.report[slice(*edited(report.report, copy.report))]
    told = _TOLD.search(changed) if copy.kind.startswith("instruction of a page") else None
    return (*report.declared(copy), *([] if told is None else [Pick(product=told[1])]))


def values_of(folder: Path, rules: Rules = "default") -> Mapping[tuple[str, str], Mapping[str, float | None]]:
    """By report and system, the run's value in every variant by these rules."""
    found: dict[tuple[str, str], dict[str, float | None]] = defaultdict(dict)
    gathered = gather(folder, load_metrics(METRICS))
    for key in (key for key in gathered.tables_of_judges if key.assessor.rules == rules):
        for plan, judged in gathered.judged_runs(key.metric, Assessor(key.assessor.judge, key.assessor.rules)):
            values = judged.values
            found[plan.query.query_id, plan.label] |= {name: value.value for name, value in values.items()}
    return found


def main() -> None:
    parser = arguments(__doc__, "the headlines of each copy")
    parser.add_argument("--typed", action="store_true", help="print feasible, for today's queries")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        world = world_of(args, Path(scratch))
        reports = list(read_set(args.folder, world, Path(scratch), args.experiment))
        folder = Path(scratch) / "headlines"
        if args.typed:
            print_feasible(folder, reports, world)
            return
        judge = Judge.of(scripted_model(play=experiment_of(folder, reports, world).play, name="labels"))
        asyncio.run(score(folder, METRICS, [judge], store=world.store, progress=Progress()))
        asyncio.run(score(folder, ["faithfulness"], [judge], rules="paper", store=world.store, progress=Progress()))
        values, by_paper = values_of(folder), values_of(folder, "paper")
    kinds: dict[str, Counter[str]] = defaultdict(Counter[str])
    for report in reports:
        honest = values[report.home.name, HONEST]
        for at, copy in enumerate(report.planted, 1):
            its = values[report.home.name, f"copy-{at}"]
            moved = {name: direction(honest[name], its[name], rises=rises) for name, rises in RISES.items()}
            kinds[copy.kind].update({"copies": 1, "moved": int("right" in moved.values())})
            kinds[copy.kind].update({f"{name} {how}": 1 for name, how in moved.items() if how})
            if args.misses:
                figures = ", ".join(f"{name} {honest[name]} → {its[name]}" for name in RISES)
                print(f"{report.home.name}/{copy.file} {copy.kind}: {figures}")
    figures = as_figures(reports, values, kinds)
    figures["honest, by the paper's rules"] = means_of([by_paper[report.home.name, HONEST] for report in reports])
    for kind, count in sorted(kinds.items()):
        ways = ", ".join(f"{name} {count[f'{name} right']}" for name in RISES if count[f"{name} right"])
        print(f"{kind:34} {count['moved']} of {count['copies']}: {ways}")
    print(json.dumps(figures, indent=1))
    keep(args.json, figures)


def direction(before: float | None, after: float | None, *, rises: bool) -> str:
    """ "right", "wrong", or empty where a headline stays."""
    if before is None or after is None or before == after:
        return ""
    return "right" if (after > before) == rises else "wrong"


def as_figures(
    reports: Sequence[LabelledReport],
    values: Mapping[tuple[str, str], Mapping[str, float | None]],
    kinds: Mapping[str, Counter[str]],
) -> dict[str, Any]:
    total = sum(kinds.values(), Counter[str]())
    return {
        "copies": total["copies"],
        "moved": total["moved"],
        "wrong": {name: total[f"{name} wrong"] for name in RISES},
        "right": {name: total[f"{name} right"] for name in RISES},
        "honest": means_of([values[report.home.name, HONEST] for report in reports]),
    }


def means_of(found: Sequence[Mapping[str, float | None]]) -> dict[str, float]:
    """The means of the headlines, over the reports that have them."""
    names = ("FP", "FP_web", "FP_product", "clean", "false_statements", "looked_at")
    known = {name: [value for one in found if (value := one.get(name)) is not None] for name in names}
    return {name: round(sum(its) / len(its), 4) for name, its in known.items() if its}


if __name__ == "__main__":
    main()

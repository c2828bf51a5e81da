"""What code finds of judges that read and of judges that don't, on labelled reports and copies with planted errors.

    python benchmarks/judge_audit.py SET [--experiment DIR] [--world WORLD] [--json FILE]

SET is a folder as ``labelled_reports.py`` describes it. The ideal judge takes its claims and labels from the labels;
each misbehaving one is the ideal judge with one fault.
"""

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from random import Random
from typing import Any

from figures import hold, keep
from labelled_reports import LabelledReport, Planted, arguments, read_set, world_of

from drretail.env.world import World
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import Definition, Experiment
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.evidence import Evidence
from drretail.records.reading import AUDITED, JudgeAudit, ReadValue
from drretail.records.run import System, imported_run
from drretail.reports.citations import find_citations
from drretail.reports.layout import read_layout
from drretail.reports.picks import take_picks

_CLAIM = re.compile(r'<claim id="(\d+)" sources="([^"]*)">\n(.*?)\n</claim>', re.DOTALL)
_SOURCE = re.compile(r'<source id="([^"]+)"[^>]*>\n(.*?)\n</source>', re.DOTALL)
_BEFORE = 60
"""Characters before a figure that the ideal judge quotes with it."""
LONG_BATCH = 8
"""Claims of a call that the drifting judge reads."""
MISTYPED = 0.3
HONEST = "honest"
Answer = dict[str, Any]
Fault = Callable[[str, Answer, str], Answer]
"""Of the schema, the ideal answer and the question: the answer of a judge with this fault."""


def folded(text: str) -> str:
    """The letters and digits of a text without their case."""
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass
class Truth:
    """What the labels say of the reports of a set and their copies."""

    by_text: dict[str, tuple[LabelledReport, Planted | None]] = field(default_factory=dict)
    """By the letters and digits of each text."""
    wrong: set[tuple[str, str]] = field(default_factory=set)
    """The claims that are false, with their sources."""

    def claims(self, text: str) -> list[Answer]:
        """The claims of a report: one for each labelled value, and one for each statement with a mark."""
        labelled = self.by_text.get(folded(text))
        if labelled is None:  # a baseline's report, which repeats its question
            return []
        report, planted = labelled
        whole = report.report if planted is None else planted.report
        layout = read_layout(whole, report.evidence)
        edits = () if planted is None else (_edited(report.report, whole),)
        values = report.ideal(planted).values
        found: list[Answer] = []
        for index, sentence in enumerate(layout.sentences):
            sources = layout.cited.get(index, ())
            own = [value for value in values if sentence.start <= value.start < sentence.end]
            if sentence.kind in ("heading", "table_head") or not (sources or own):
                continue
            spans = [(max(sentence.start, value.start - _BEFORE), value.end, value) for value in own]
            spans += [(sentence.start, sentence.end, None)] if sources else []
            for start, end, value in spans:
                of = [value.of] if value is not None and value.of in whole else []
                quote = whole[start:end]
                words = quote if value is None else f"{value.kind} of {value.of}: {whole[value.start : end]}"
                claim = {"claim_id": len(found) + 1, "claim": words, "quote": quote, "sources": [*(sources or of)]}
                at = (sentence.start, sentence.end) if value is None else (value.start, value.end)
                if any(low < at[1] and at[0] < high for low, high in edits):
                    self.wrong.add((words, " ".join(sources or of)))
                found.append(claim | {"values": [] if value is None else [_said(value, whole)]})
        return found

    def answer(self, request: Request) -> Answer:
        """The ideal answer."""
        question = request.opening
        if request.schema != "ClaimsSupport":
            claims = self.claims(tag_content("report", question) or "")
            return {"claims": claims} | ({"picks": []} if request.schema == "ClaimsAndPicks" else {})
        return {"claims": [self._label(*found) for found in _asked(question)]}

    def _label(self, number: int, claim: str, sources: Mapping[str, str], ids: str) -> Answer:
        label = "contradicted" if (claim, ids) in self.wrong else "full_support"
        quote = next((_passage(text, claim) for text in sources.values()), "")
        return {"claim_id": number, "quotes": [quote], "justification": "So it is there.", "label": label}


def _asked(question: str) -> Iterator[tuple[int, str, Mapping[str, str], str]]:
    """Each claim that a question asks about, with the texts of its sources and their ids."""
    texts = dict(_SOURCE.findall(question))
    for number, ids, claim in _CLAIM.findall(question):
        cited = [name for name in ids.split() if name in texts]
        known = " ".join(name for name in ids.split() if not re.fullmatch(r"S\d+", name))
        yield int(number), claim, {name: texts[name] for name in cited}, known


def _passage(text: str, claim: str) -> str:
    """The words of a source around a figure of the claim, else its first words."""
    figure = next((each for each in re.findall(r"\d+(?:\.\d+)?", claim) if len(each) > 1 and each in text), None)
    place = 0 if figure is None else text.index(figure)
    return text[max(0, place - 30) : place + 30]


def _said(value: ReadValue, text: str) -> Answer:
    return {"kind": value.kind, "of": value.of, "field": value.field, "quote": text[value.start : value.end]}


def _edited(before: str, after: str) -> tuple[int, int]:
    """The place of what differs, in the second text."""
    start = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    same = next((at for at, (a, b) in enumerate(zip(before[::-1], after[::-1], strict=False)) if a != b), 0)
    return start, max(start + 1, len(after) - same)


def _slips(schema: str, answer: Answer, question: str) -> Answer:
    """A good judge: one claim in twelve is passed over, one label in twelve is one step off, some quotes are loose."""
    mood = Random(question)
    if schema != "ClaimsSupport":
        kept = [claim for claim in answer["claims"] if mood.random() > 1 / 12]
        return answer | {"claims": [claim | {"claim_id": at} for at, claim in enumerate(kept, 1)]}
    for claim in answer["claims"]:
        if mood.random() < 1 / 12:
            claim["label"] = "partial_support" if claim["label"] == "full_support" else "no_support"
        if mood.random() < 1 / 25:
            claim["quotes"] = ["The shop gives that figure for it, as it does for the others"]
    return answer


def _lazy(schema: str, answer: Answer, question: str) -> Answer:
    return answer if schema == "ClaimsSupport" else answer | {"claims": answer["claims"][:3]}


def _stamping(schema: str, answer: Answer, question: str) -> Answer:
    for claim in answer["claims"] if schema == "ClaimsSupport" else ():
        claim["label"] = "full_support"
    return answer


def _inventing(schema: str, answer: Answer, question: str) -> Answer:
    for claim in answer["claims"]:
        if schema == "ClaimsSupport":
            claim["quotes"] = ["This is confirmed in full by the listing as it was shown"]
        elif claim["claim_id"] % 2:
            claim["quote"] = f"The report states plainly: {claim['claim_id']} times over"
    return answer


def _dropping(schema: str, answer: Answer, question: str) -> Answer:
    for claim in answer["claims"] if schema != "ClaimsSupport" else ():
        claim["sources"] = claim["sources"] if claim["claim_id"] % 3 == 0 else []
    return answer


def _contradicting(schema: str, answer: Answer, question: str) -> Answer:
    for claim in answer["claims"] if schema == "ClaimsSupport" else ():
        claim["label"] = "full_support" if claim["label"] == "contradicted" else "contradicted"
    return answer


def _mistyping(schema: str, answer: Answer, question: str) -> Answer:
    """Three values in ten are typed of another kind."""
    mood = Random(question)
    for claim in answer["claims"] if schema != "ClaimsSupport" else ():
        for value in claim["values"]:
            if mood.random() < MISTYPED:
                value["kind"] = "rating" if value["kind"] == "price" else "price"
    return answer


def _drifting(schema: str, answer: Answer, question: str) -> Answer:
    """Behind the first claims of a call it repeats what it said of the last one that it read."""
    claims = answer["claims"]
    if schema == "ClaimsSupport":
        last = claims[:LONG_BATCH][-1]
        claims[LONG_BATCH:] = [last | {"claim_id": claim["claim_id"]} for claim in claims[LONG_BATCH:]]
    return answer


GOOD: Mapping[str, Fault] = {"ideal": lambda schema, answer, question: answer, "ideal with slips": _slips}
BAD: Mapping[str, Fault] = {
    "lazy: 3 claims a report": _lazy,
    "stamping: full support to all": _stamping,
    "inventing quotes": _inventing,
    "dropping ids": _dropping,
    "contradicting records": _contradicting,
    "drifting in a long batch": _drifting,
    "mistyping 30% of values": _mistyping,
}


def main() -> None:
    args = arguments(__doc__, "nothing").parse_args()
    audits: dict[str, JudgeAudit] = {}
    precision: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        world = world_of(args, Path(scratch))
        reports = [*read_set(args.folder, world, args.experiment)]
        truth = Truth()
        for report in reports:
            texts = {report.report: None, **{planted.report: planted for planted in report.planted}}
            truth.by_text |= {folded(text): (report, planted) for text, planted in texts.items()}
        for name, fault in {**GOOD, **BAD}.items():
            folder = Path(scratch) / re.sub(r"\W", "", name)
            write_runs(folder, reports, world)
            audits[name], precision[name] = audit_of(folder, world, play_of(truth, fault))
    hold(all(audit.shares for audit in audits.values()), "each judge read reports")
    print_table(audits, precision)
    keep(args.json, {name: audit.model_dump() for name, audit in audits.items()})


def write_runs(folder: Path, reports: Sequence[LabelledReport], world: World) -> None:
    """Writes the honest reports and their copies as runs of an experiment."""
    queries = [report.query.model_copy(update={"query_id": report.home.name}) for report in reports]
    asked = {HONEST: tuple(query.query_id for query in queries)}
    for at in range(1, max(len(report.planted) for report in reports) + 1):
        asked[f"copy-{at}"] = tuple(report.home.name for report in reports if len(report.planted) >= at)
    systems = {name: System(agent="labels", models={}) for name in asked}
    definition = Definition(queries=tuple(queries), systems=systems, asked=asked, now=world.manifest.now)
    with Experiment(folder, definition) as opened:
        for report in reports:
            evidence = tuple(_with_page(entry, world) for entry in report.evidence.values())
            texts = [report.report, *(planted.report for planted in report.planted)]
            for label, whole in zip(asked, texts, strict=False):
                text = take_picks(whole).report
                known = {"user_id": report.query.user_id, "picks": report.picks}
                citations = tuple(find_citations(text, report.evidence))
                run = imported_run(label, report.home.name, text, citations=citations, **known)
                opened.save(Recorded(run, evidence, {}, {}))


def _with_page(entry: Evidence, world: World) -> Evidence:
    """The entry with its page, as a run fetches the pages that it cites."""
    if not entry.lacks_page or entry.url is None:
        return entry
    page = world.web.fetch(entry.url)
    return entry.with_page(page.text, page.state, page.date, page.problem)


def play_of(truth: Truth, fault: Fault) -> Callable[[Request], ScriptedAnswer]:
    def play(request: Request) -> ScriptedAnswer:
        return ScriptedAnswer(structured=fault(request.schema or "", truth.answer(request), request.opening))

    return play


def audit_of(experiment: Path, world: World, play: Callable[[Request], ScriptedAnswer]) -> tuple[JudgeAudit, float]:
    """How a judge that answers so reads an experiment, and its FP of the honest reports."""
    judge = Judge.of(scripted_model(play=play, name="judge", kind="llm"))
    scores = asyncio.run(score_experiment(ScoringPlan(experiment, ["faithfulness"], [judge], store=world.store)))
    precision = scores.by_system("FP").get(HONEST)
    return scores.audits[0], nan if precision is None else precision


def print_table(audits: Mapping[str, JudgeAudit], precision: Mapping[str, float]) -> None:
    print(f"| judge | {' | '.join(AUDITED.values())} | reports failed | FP | it reads |")
    print(f"|---|{'--:|' * (len(AUDITED) + 2)}---|")
    for name, audit in audits.items():
        cells = [_cell(audit.share(figure), audit.shares.get(figure, (0, 0))[1]) for figure in AUDITED]
        says = f"no: {', '.join(audit.low)}" if audit.low else "too few to tell" if audit.open else "yes"
        counts = f"{audit.failed_reports} | {precision[name]:.2f}"
        print(f"| {name} | {' | '.join(cells)} | {counts} | {says} |")


def _cell(share: float | None, count: int) -> str:
    return "–" if share is None else f"{share:.2f} ({count:,})"


if __name__ == "__main__":
    main()

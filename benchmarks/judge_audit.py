"""What code finds of judges that read and of judges that don't, on labelled reports and copies with planted errors.

    python benchmarks/judge_audit.py SET [--played EXPERIMENT] [--scored EXPERIMENT…] [--json FILE]

SET is a folder as ``labelled_reports.py`` describes it, with its experiment and its world. The ideal judge takes its
claims and labels from the labels; each misbehaving one is the ideal judge with one fault. ``--played`` names an
experiment with verdicts by two questions per report, whose answers are given to today's questions; ``--scored`` are
experiments with verdicts by today's questions, such as the demo's.
"""

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from figures import keep, parser_of
from labelled_reports import LabelledReport, Planted, read_set, unpacked

from drretail.env.world import open_world
from drretail.eval.judging.question import judge_journals, read_journal_of
from drretail.eval.judging.session import Judge
from drretail.eval.scores.file import read_scores
from drretail.eval.scoring import score
from drretail.grounding.text.layout import read_layout
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.progress import Progress
from drretail.records.reading import AUDITED, SAME_CLAIM, SAME_LABEL, JudgeAudit, ReadValue

_CLAIM = re.compile(r'<claim id="(\d+)" sources="([^"]*)">\n(.*?)\n</claim>', re.DOTALL)
_SOURCE = re.compile(r'<source id="([^"]+)"[^>]*>\n(.*?)\n</source>', re.DOTALL)
_BEFORE = 60
"""Characters before a figure that the ideal judge quotes with it."""
LONG_BATCH = 8
"""Claims of a call that the drifting judge reads."""
SHOWN = {name: words for name, words in AUDITED.items() if name not in (SAME_LABEL, SAME_CLAIM)}
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
                of = [] if value is None else [each for each in value.of if each in whole]
                quote = whole[start:end]
                words = (
                    quote if value is None else f"{value.kind} of {' and '.join(value.of)}: {whole[value.start : end]}"
                )
                claim = {"claim_id": len(found) + 1, "claim": words, "quote": quote, "sources": [*(sources or of)]}
                at = (sentence.start, sentence.end) if value is None else (value.start, value.end)
                if any(low < at[1] and at[0] < high for low, high in edits):
                    self.wrong.add((words, " ".join(sources or of)))
                found.append(claim | {"values": [] if value is None else [_said(value, of)]})
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


def _said(value: ReadValue, of: Sequence[str]) -> Answer:
    low, high = value.amount if isinstance(value.amount, tuple) else (value.amount, "")
    said = {"kind": value.kind, "amount": low, "amount_to": high, "currency": value.currency or ""}
    return said | {"relation": value.relation, "of": [*of], "quote": ""}


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
}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="SET")
    parser.add_argument("--experiment", type=Path, help="an experiment whose runs hold these reports and copies")
    parser.add_argument("--world", type=Path, help="the world that they were made in")
    parser.add_argument("--played", type=Path, metavar="EXPERIMENT")
    parser.add_argument("--scored", type=Path, nargs="*", default=[], metavar="EXPERIMENT")
    args = parser.parse_args()
    audits: dict[str, JudgeAudit] = {}
    precision: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        world = open_world(args.world or unpacked(args.folder / "world.tar.xz", Path(scratch)))
        truth = Truth()
        experiment = args.experiment or unpacked(args.folder / "experiment.tar.xz", Path(scratch))
        for report in read_set(args.folder, world, Path(scratch), experiment):
            truth.by_text[folded(report.report)] = report, None
            truth.by_text |= {folded(planted.report): (report, planted) for planted in report.planted}
        for name, fault in {**GOOD, **BAD}.items():
            audits[name], precision[name] = audit_of(experiment, Path(scratch) / "judged", play_of(truth, fault))
        if args.played:
            played = play_again(args.played)
            audits["played"], precision["played"] = audit_of(args.played, Path(scratch) / "judged", played)
    for scored in args.scored:
        found = read_scores(scored)
        audits |= {f"{scored.name}: {audit.judge}": audit for audit in (() if found is None else found.audits)}
    print_table(audits, precision)
    keep(args.json, {name: audit.model_dump() for name, audit in audits.items()})


def play_of(truth: Truth, fault: Fault) -> Callable[[Request], ScriptedAnswer]:
    def play(request: Request) -> ScriptedAnswer:
        return ScriptedAnswer(structured=fault(request.schema or "", truth.answer(request), request.opening))

    return play


def play_again(experiment: Path) -> Callable[[Request], ScriptedAnswer]:
    """The answers that a judge gave to the paper's questions, to ours: claims without values, labels by their words."""
    lists: dict[str, list[Answer]] = {}
    labels: dict[str, Answer] = {}
    for path in judge_journals(experiment):
        for effect in read_journal_of(path) if path.parents[2].name == "faithfulness" else ():
            question, answer = effect.request["messages"][0]["content"], json.loads(effect.response)
            if effect.scope.startswith("extract_cited"):
                lists[(tag_content("report", question) or "").strip()] = answer["claims"]
            elif "support" in answer:
                labels[(tag_content("claim", question) or "").strip()] = answer

    def play(request: Request) -> ScriptedAnswer:
        if request.schema == "ClaimsSupport":
            known = ((number, labels.get(claim.strip())) for number, claim, _, _ in _asked(request.opening))
            asked = [(number, label) for number, label in known if label is not None]
            given = [
                {"claim_id": number, "quotes": [each["quote"]], "label": each["support"], "justification": "As played."}
                for number, each in asked
            ]
            return ScriptedAnswer(structured={"claims": given})
        claims = lists[(tag_content("report", request.opening) or "").strip()]
        more = {"picks": []} if request.schema == "ClaimsAndPicks" else {}
        return ScriptedAnswer(structured={"claims": [claim | {"values": []} for claim in claims], **more})

    return play


def audit_of(experiment: Path, to: Path, play: Callable[[Request], ScriptedAnswer]) -> tuple[JudgeAudit, float]:
    """How a judge that answers so reads an experiment, which stays as it is, and its FP of the honest reports."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(experiment, to, ignore=shutil.ignore_patterns("verdicts", "scores.json"))
    judge = Judge.of(scripted_model(play=play, name="judge", kind="llm"))
    scores = asyncio.run(score(to, ["faithfulness"], [judge], progress=Progress()))
    of_systems = scores.by_system("FP").items()
    found = [value for label, value in of_systems if value is not None and "planted" not in label]
    return scores.audits[0], fmean(found) if found else nan


def print_table(audits: Mapping[str, JudgeAudit], precision: Mapping[str, float]) -> None:
    print(f"| judge | {' | '.join(SHOWN.values())} | agreement | reports failed | FP | it reads |")
    print(f"|---|{'--:|' * (len(SHOWN) + 3)}---|")
    for name, audit in audits.items():
        cells = [_cell(audit.share(figure), audit.shares.get(figure, (0, 0))[1]) for figure in SHOWN]
        agreement = "–" if audit.agreement is None else _cell(*audit.agreement)
        says = f"no: {', '.join(audit.low)}" if audit.low else "too few figures to tell" if audit.is_open else "yes"
        counts = f"{audit.failed_reports} | {precision.get(name, nan):.2f}"
        print(f"| {name} | {' | '.join([*cells, agreement])} | {counts} | {says} |")


def _cell(share: float | None, count: int) -> str:
    return "–" if share is None else f"{share:.2f} ({count:,})"


if __name__ == "__main__":
    main()

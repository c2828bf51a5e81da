"""What judges are sent for an experiment: calls and tokens, with a provider's cache simulated.

    python benchmarks/judging.py EXPERIMENT [--pairs A~B] [--json FILE] [--beside FILE]

Nobody is asked: a script answers each question, and what would have gone to Anthropic is counted, a token being four
characters. What is marked costs a quarter more where it is written and a tenth where it is read again; no text of
fewer than 1,024 tokens is kept. ``--beside`` takes the figures of another version, which ``--json`` wrote there.
Faithfulness is asked for together with a reading, and only of reports that cite pages: each sentence, item or row is a
claim, and answers are as long as a played judge's. Pages that nobody fetched are not judged by: fetch them first
(``drretail score EXPERIMENT --metrics checks --fetch-sources``).
"""

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of

from drretail.eval.judging.session import Judge
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import path_of, read_runs
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.llm.usage import CHARACTERS_PER_TOKEN
from drretail.reports.layout import find_sentences

LEAST = 1024
"""Tokens that Anthropic's cache needs at least."""
WRITTEN, READ = 1.25, 0.1
"""Prices of cached input, of the plain one."""
ANSWERS: dict[str, dict[str, Any]] = {
    "Rating": {"justification": "It names what it leaves open and weighs two of three. " * 6, "rating": 6},
    "Comparison": {"justification": "A weighs what speaks against its own advice. " * 5, "winner": "A"},
}
LABEL = {
    "justification": "The record gives the price, and the straps as they are said to be.",
    "label": "full_support",
}
VALUE = {"kind": "measure", "of": "", "field": ""}
METRICS: dict[str, list[str]] = {
    "quality": ["quality"],
    "pairwise": ["pairwise"],
    "faithfulness": ["reading", "faithfulness"],
}
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_MARK = re.compile(r"\[([POUWFC]:[^\]\s]+)(\])")
_CLAIM = re.compile(r'<claim id="(\d+)" sources="([^ "]*)')
_SOURCE = re.compile(r'<source id="([^"]*)"[^<>]*>\n(.{0,70})')


@dataclass
class Sent:
    """Everything that was sent in one metric."""

    calls: int = 0
    reports: int = 0
    """Reports or pairs that were judged."""
    uncached: float = 0
    written: float = 0
    read: float = 0
    output: float = 0

    @property
    def plain(self) -> float:
        """Input at the price of what is not cached."""
        return self.uncached + WRITTEN * self.written + READ * self.read


@dataclass
class Provider:
    """Counts what each request holds of what was marked before."""

    sent: Sent = field(default_factory=Sent)
    kept: set[str] = field(default_factory=set[str])

    def play(self, request: Request) -> ScriptedAnswer:
        marked, rest = _parts(request.messages[0].content)
        counted = len(marked) / CHARACTERS_PER_TOKEN
        answer = _answer(request.schema or "", marked + rest)
        self.sent.calls += 1
        self.sent.output += len(json.dumps(answer)) / CHARACTERS_PER_TOKEN
        self.sent.uncached += len(rest) / CHARACTERS_PER_TOKEN
        if counted < LEAST:
            self.sent.uncached += counted
        elif marked in self.kept:
            self.sent.read += counted
        else:
            self.sent.written += counted
            self.kept.add(marked)
        return ScriptedAnswer(structured=answer)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--pairs", action="append", default=[], metavar="A~B", help="what is compared; else all")
    parser.add_argument("--beside", type=Path, help="figures of another version, written by --json")
    args = parser.parse_args()
    found = {name: sent_for(args.experiment, name, args.pairs) for name in METRICS}
    hold(any(sent.calls for sent in found.values()), "judges are asked")
    before = (
        {name: Sent(**held) for name, held in json.loads(args.beside.read_text("utf-8")).items()} if args.beside else {}
    )
    print(f"{'':18}{'calls':>8}{'uncached':>12}{'written':>12}{'read':>12}{'as plain':>12}{'output':>10}")
    for name, sent in found.items():
        if name in before:
            _print(f"{name}, before", before[name])
        _print(name, sent)
        if name in before:
            print(f"{'':18}input at its price: {sent.plain / before[name].plain - 1:+.0%}")
    sent = found["faithfulness"]
    if sent.reports:
        tokens = sent.uncached + sent.written + sent.read + sent.output
        print(f"{sent.reports} reports with pages: {sent.calls / sent.reports:.1f} calls and", end=" ")
        print(f"{tokens / sent.reports:,.0f} tokens each, {(sent.plain + sent.output) / sent.reports:,.0f} as plain")
    keep(args.json, {name: asdict(sent) for name, sent in found.items()})


def sent_for(experiment: Path, metric: str, pairs: Sequence[str]) -> Sent:
    """What judging this metric from the start sends; the experiment stays as it is."""
    provider = Provider()
    model = scripted_model(play=provider.play)
    judge = Judge.of(replace(model, info=model.info.model_copy(update={"provider": "anthropic"})))
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "exp"
        shutil.copytree(experiment, copied, ignore=shutil.ignore_patterns("verdicts", "scores.json"))
        if metric == "faithfulness":  # reports that cite pages alone are left
            for run in read_runs(copied):
                if run.report is not None and not any(citation.type == "web" for citation in run.citations):
                    path_of(copied, run).unlink()
        asyncio.run(score_experiment(ScoringPlan(copied, METRICS[metric], [judge], pairs=pairs)))
        provider.sent.reports = len(list(copied.glob(f"verdicts/{metric}/*/*/*.journal.jsonl")))
        lines = [json.loads(line) for path in copied.rglob("verdicts/**/*.jsonl") for line in path.open()]
        failed = [line["error"] for line in lines if line.get("state") == "failed"]
        hold(not failed, f"the judge's answers are taken ({metric}: {len(failed)} failed, {str(failed[:1])[:300]})")
    return provider.sent


def _answer(schema: str, question: str) -> dict[str, Any]:
    match schema:
        case "ClaimsSupport":
            texts = dict(_SOURCE.findall(question))
            asked = ((int(number), texts.get(source, "")) for number, source in _CLAIM.findall(question))
            return {"claims": [{"claim_id": number, "quotes": [text], **LABEL} for number, text in asked]}
        case "ReportClaims" | "ClaimsAndPicks":
            report = tag_content("report", question) or ""
            sentences = [report[span.start : span.end] for span in find_sentences(report) if span.kind != "heading"]
            claims = [_claim(*numbered) for numbered in enumerate(sentences, 1)]
            return {"claims": claims} | ({"picks": []} if schema == "ClaimsAndPicks" else {})
        case "ReportPicks":
            return {"picks": []}
        case _:
            return ANSWERS[schema]


def _claim(number: int, sentence: str) -> dict[str, Any]:
    text, *marks = _MARK.split(sentence)
    values = [{**VALUE, "quote": figure} for figure in _FIGURE.findall(text)[:1]]
    claim = {"claim_id": number, "claim": text.strip(), "quote": text.strip()}  # a judge quotes words up to their marks
    return claim | {"sources": marks[::2], "values": values}


def _parts(content: Any) -> tuple[str, str]:
    """What is marked, and the rest."""
    if isinstance(content, str):
        return "", content
    marked = "".join(block["text"] for block in content if "cache_control" in block)
    return marked, "".join(block["text"] for block in content if "cache_control" not in block)


def _print(name: str, sent: Sent) -> None:
    figures = (sent.uncached, sent.written, sent.read, sent.plain)
    print(f"{name:18}{sent.calls:>8,}{''.join(f'{figure:>12,.0f}' for figure in figures)}{sent.output:>10,.0f}")


if __name__ == "__main__":
    main()

"""Claims that people labelled against sources, and a judge's verdicts on them.

Sets are read in their authors' published formats, or from plain CSV; judges are asked as in faithfulness.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from drretail.errors import UserError
from drretail.eval.claims.claims import FAITHFULNESS, VERSION, Claim, Unit, content_of, fitted, source_tags
from drretail.eval.claims.rulings import SupportJudge, support_prompt
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import Subject
from drretail.files import read_jsonl
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.llm.usage import CHARACTERS_PER_TOKEN
from drretail.progress import Bar
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.score import Verdict
from drretail.records.tables.sheets import read_cells

Label = Literal["full", "partial", "none"]
THREE: tuple[Label, ...] = ("full", "partial", "none")
TWO: tuple[Label, ...] = ("full", "none")
SPELLINGS: Mapping[str, Label] = {
    **dict.fromkeys(("full", "full_support", "supported", "attributable", "1", "yes", "true"), "full"),
    **dict.fromkeys(("partial", "partial_support", "partially_supported", "0.5"), "partial"),
    **dict.fromkeys(("none", "no_support", "not_supported", "not attributable", "0", "no", "false"), "none"),
    **dict.fromkeys(("contradicted", "contradictory"), "none"),
}
LAYOUTS = (
    "AttributionBench (claim, references, attribution_label), WiCE (claim, evidence, label), LLM-AggreFact (doc, "
    "claim, label), or CSV with the columns claim, source and label"
)


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, its sources, and people's label."""

    claim: str
    sources: tuple[str, ...]
    label: Label
    question: str = ""
    """The question that the claim answers; claims of one question are not independent."""

    @property
    def item(self) -> str:
        """An id made of everything that a judge is shown."""
        return sha256_of([self.question, self.claim, list(self.sources)])[:16]

    @property
    def evidence(self) -> dict[str, Evidence]:
        """Its sources by id, as web pages that a run read."""
        entries: dict[str, Evidence] = {}
        for source in self.sources:
            sha = sha256_of(source)
            text = EvidenceText(sha256=sha, form="page", text=source, shown=True, path="0", seq=0)
            entries[f"W:{sha[:8]}"] = Evidence(id=f"W:{sha[:8]}", kind="web", key=sha, title="", texts=(text,))
        return entries


@dataclass(frozen=True, slots=True)
class LabelledSet:
    name: str
    claims: tuple[LabelledClaim, ...]
    labels: tuple[Label, ...] = THREE
    """The labels that people could give."""
    file: str = ""
    """The name of the file from which the set was read."""

    @property
    def sha(self) -> str:
        """Takes the place of a report's hash; there is no report, and items name claims by all that is shown."""
        return sha256_of(self.name)


def read_labelled(path: Path) -> LabelledSet:
    """Reads a set from JSON lines, plain or gzipped, or from CSV. Its fields tell the layout.

    Raises UserError for a file of no known layout, and names the line of a claim without text, source or label.
    """
    if path.name.casefold().endswith((".csv", ".tsv")):
        # Not ``read_sheet``: the space around a source is part of the claim's id.
        heading, *cells = read_cells(path) or [[]]
        names = [name.strip().casefold() for name in heading]
        filled = [(number, dict[str, Any](zip(names, row, strict=False))) for number, row in enumerate(cells, 2)]
        # A sheet of `lab sample` may be partly filled in.
        rows = [(number, row) for number, row in filled if any(map(str.strip, row.values()))]
        rows = [(number, row) for number, row in rows if row.get("label", "?").strip()]
    else:
        rows = [*enumerate(read_jsonl(path, forgives_a_cut=False), 1)]
    if not rows:
        raise UserError(f"{path} holds no labelled claim: label some, one per line.")
    fields = rows[0][1].keys()
    for name, needed, reader in _READERS:
        if needed <= fields:
            claims = tuple(_read(path, number, row, reader) for number, row in rows)
            labels = THREE if any(claim.label == "partial" for claim in claims) else TWO
            return LabelledSet(name or path.name.partition(".")[0], claims, labels, path.name)
    raise UserError(f"{path} has the fields {', '.join(fields)}. What is read: {LAYOUTS}.")


def _read(
    path: Path, number: int, row: Mapping[str, Any], reader: Callable[[Mapping[str, Any]], tuple[Any, Any, Any]]
) -> LabelledClaim:
    try:
        claim, sources, label = reader(row)
        made = LabelledClaim(
            str(claim).strip(),
            tuple(str(source) for source in sources if str(source).strip()),
            SPELLINGS[str(label).strip().casefold()],
            str(row.get("question") or "").strip(),
        )
    except (KeyError, TypeError) as problem:
        raise UserError(
            f"{path}, line {number}: no label or field {problem}. Labels are full, partial, none, contradicted."
        ) from problem
    if not made.claim or not made.sources:
        raise UserError(f"{path}, line {number} has no {'source' if made.claim else 'claim'}.")
    return made


def _of_columns(row: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return row["claim"], [text for name, text in row.items() if name.startswith("source")], row["label"]


# By layout: its name, the fields that tell it, and what finds claim, sources and label.
_READERS: tuple[tuple[str, frozenset[str], Callable[[Mapping[str, Any]], tuple[Any, Any, Any]]], ...] = (
    (
        "AttributionBench",
        frozenset({"claim", "references", "attribution_label"}),
        lambda row: (row["claim"], row["references"], row["attribution_label"]),
    ),
    (
        "WiCE",
        frozenset({"claim", "evidence", "supporting_sentences", "label"}),
        lambda row: (row["claim"], ["\n".join(row["evidence"])], row["label"]),
    ),
    ("LLM-AggreFact", frozenset({"doc", "claim", "label"}), lambda row: (row["claim"], [row["doc"]], row["label"])),
    ("", frozenset({"claim", "source", "label"}), _of_columns),
    ("", frozenset({"claim", "sources", "label"}), _of_columns),
)


def drawn(labelled: LabelledSet, n: int, seed: str) -> LabelledSet:
    """``n`` claims of the set, chosen by lot, in their order and without duplicates; 0 means all."""
    by_lot = {sha256_of([seed, claim.item]): claim for claim in labelled.claims}
    wanted = {*sorted(by_lot)[: n or None]}
    chosen = tuple(claim for lot, claim in by_lot.items() if lot in wanted)
    return replace(labelled, claims=chosen)


LABELS = "labels"
"""The run name under which verdicts on labelled claims are stored."""
NO_QUESTION = "Is this so?"
"""The question for sets that have none, since a judge is always shown one."""
AT_ONCE = 8
"""Concurrent questions to one judge, without batches."""
ANSWER = Range(60, 400)
"""Tokens of an answer about one claim."""


def cards_folder(experiment: Path) -> Path:
    return experiment / "lab" / "cards"


async def judge_labelled(
    folder: Path, labelled: LabelledSet, judge: Judge, *, again: Again, allowance: Allowance, bar: Bar
) -> None:
    """Judges the claims that have no verdict yet, each in a question of its own, and records the verdicts.

    Raises CapReached.
    """
    with JudgeSession(
        judge,
        VerdictFile(_path(folder, labelled, judge)),
        metric=FAITHFULNESS,
        version=VERSION,
        run_id=f"{labelled.name}/{LABELS}",
        report_sha=labelled.sha,
        again=again,
        allowance=allowance,
    ) as session:
        gate = asyncio.Semaphore(len(labelled.claims) if judge.in_batches else AT_ONCE)

        async def ask(claim: LabelledClaim) -> None:
            evidence = claim.evidence
            question = Query(query_id="labelled", text=claim.question or NO_QUESTION, source=LABELS)
            subject = Subject(LABELS, System(agent=LABELS, models={}), question, 1, None, evidence, None, None)
            sources = (*evidence,)
            unit = Unit(Claim(claim_id=claim.item, claim=claim.claim, sources=sources), sources, ("web",))
            async with gate:
                await SupportJudge(subject, session, evidence).rule([unit])
            bar.advance()

        await session.together(ask(claim) for claim in labelled.claims)


def verdicts_on(folder: Path, labelled: LabelledSet, judge: Judge) -> dict[str, Verdict]:
    """By item, the judge's verdicts on these claims with the current prompt."""
    path = _path(folder, labelled, judge)
    living = VerdictFile(path).living(labelled.sha, frozenset({support_prompt("default").hash}))
    wanted = {claim.item for claim in labelled.claims}
    return {verdict.item: verdict for verdict in living if verdict.item in wanted and verdict.version == VERSION}


def estimate_labelled(folder: Path, sets: Iterable[LabelledSet], judge: Judge) -> Iterator[Estimate]:
    """The likely cost of judging the claims that have no verdict, by the length of what would be sent."""
    price = None if judge.model is None else judge.model.price
    context = None if judge.model is None else judge.model.context
    room = None if context is None else context * CHARACTERS_PER_TOKEN // 2
    prompt = support_prompt("default")

    def characters(claim: LabelledClaim) -> int:
        """About how many characters a judge is sent: prompt, question, claim, and the sources as far as they fit."""
        texts = fitted(content_of([*claim.evidence], claim.evidence).texts, [claim.claim], room)
        return len(prompt.shared + prompt.text) + len(claim.question) + len(claim.claim) + len(source_tags(texts))

    for labelled in sets:
        known = verdicts_on(folder, labelled, judge)
        left = [claim for claim in labelled.claims if claim.item not in known]
        yield estimate_by_length(
            f"{labelled.name}, {judge.ref.spec}",
            [characters(claim) for claim in left],
            ANSWER,
            judge.ref.spec,
            price,
            basis="length of claims and sources",
            unit="claims",
        )


def _path(folder: Path, labelled: LabelledSet, judge: Judge) -> Path:
    return verdict_path(folder, FAITHFULNESS, judge.slug, labelled.name, LABELS)

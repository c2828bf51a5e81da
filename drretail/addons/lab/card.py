"""A judge's card: how well its verdicts agree with people's labels of claims, compared with a rule by words alone.

The claims are of public sets in their authors' formats, or of plain CSV; judges are asked as in faithfulness.
Findings are stored in EXP/lab, and each has a line beside the scores.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shlex import join
from typing import Any, Literal

from drretail.addons.lab.findings import Figure, JudgeCard, LabFinding, SetCard, unanswered_in_words
from drretail.addons.lab.raters import (
    agreement_interval,
    as_two,
    balanced_accuracy,
    kappa,
    tables_of,
)
from drretail.errors import UserError
from drretail.eval.claims.claims import FAITHFULNESS, SUPPORT, VERSION, Claim
from drretail.eval.claims.rulings import SupportJudge, support_prompt
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import installed
from drretail.experiments.packs import JOURNAL, data_of, packed_names
from drretail.files import read_document, read_json, read_jsonl, write_json
from drretail.parsing import read_cells
from drretail.progress import Bar
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.figures import number
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.score import Verdict
from drretail.reports.text.words import content_stems

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
    "AttributionBench (claim, references, attribution_label), WiCE (claim, evidence, label), or CSV with "
    "the columns claim, source and label"
)


@dataclass(frozen=True, slots=True)
class LabelledClaim:
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
            text = EvidenceText(form="page", text=source, shown=True, path="0", seq=0)
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
        labelled = LabelledClaim(
            str(claim).strip(),
            tuple(str(source) for source in sources if str(source).strip()),
            SPELLINGS[str(label).strip().casefold()],
            str(row.get("question") or "").strip(),
        )
    except (KeyError, TypeError) as problem:
        raise UserError(
            f"{path}, line {number}: no label or field {problem}. Labels are full, partial, none, contradicted."
        ) from problem
    if not labelled.claim or not labelled.sources:
        raise UserError(f"{path}, line {number} has no {'source' if labelled.claim else 'claim'}.")
    return labelled


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
"""Concurrent questions to one judge."""


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
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(claim: LabelledClaim) -> None:
            evidence = claim.evidence
            question = Query(query_id="labelled", text=claim.question or NO_QUESTION, source=LABELS)
            subject = Subject(LABELS, System(agent=LABELS, models={}), question, 1, None, evidence, None, None)
            labelled_claim = Claim(claim_id=claim.item, claim=claim.claim, sources=(*evidence,))
            async with gate:
                await SupportJudge(subject, session, evidence).rule([labelled_claim])
            bar.advance()

        await session.together(ask(claim) for claim in labelled.claims)


def _path(folder: Path, labelled: LabelledSet, judge: Judge) -> Path:
    return verdict_path(folder, FAITHFULNESS, judge.slug, labelled.name, LABELS)


BY_VALUE: Mapping[float, Label] = {1.0: "full", 0.5: "partial", 0.0: "none"}


def card_of(
    folder: Path, sets: Sequence[tuple[LabelledSet, LabelledSet]], judge: Judge, seed: str, dollars: float | None
) -> JudgeCard:
    """The card of a judge, from the existing verdicts in ``folder``.

    ``sets`` are pairs of the claims drawn for judging and the whole set, from which the rule by words takes its
    thresholds.
    """
    prompt_hash = support_prompt("default").hash
    cards: list[SetCard] = []
    for chosen, whole in sets:
        living = VerdictFile(_path(folder, chosen, judge)).living(chosen.sha, frozenset({prompt_hash}))
        wanted = {claim.item for claim in chosen.claims}
        current = [verdict for verdict in living if verdict.item in wanted and verdict.version == VERSION]
        cards.append(set_card(chosen, whole, {verdict.item: verdict for verdict in current}, seed))
    return JudgeCard(
        judge=judge.ref, prompt_hash=prompt_hash, version=VERSION, seed=seed, sets=tuple(cards), dollars=dollars
    )


def set_card(chosen: LabelledSet, whole: LabelledSet, verdicts: Mapping[str, Verdict], seed: str) -> SetCard:
    """One set of a card. Intervals are over questions, or over claims if the set has no questions."""
    import numpy as np

    ruled = [verdict for verdict in verdicts.values() if (verdict.stage, verdict.state) == (SUPPORT, "scored")]
    values = {verdict.item: float(verdict.value) for verdict in ruled}
    judged = [claim for claim in chosen.claims if claim.item in values]
    people: list[Label] = [claim.label for claim in judged]
    judges: list[Label] = [BY_VALUE[values[claim.item]] for claim in judged]
    by_words = words_alone(whole, seed)
    words: list[Label] = [by_words[claim.item] for claim in judged]
    clusters: list[Hashable] = [claim.question or claim.item for claim in judged]
    tables = tables_of(clusters, people, judges, THREE)
    two, rule = as_two(tables), as_two(tables_of(clusters, people, words, THREE))
    has_three = len(chosen.labels) == len(THREE)
    shown = tables if has_three else two
    n, states = len(judged), Counter(verdict.state for verdict in verdicts.values())
    counted = Counter(zip(people, judges, strict=True))
    right = sum(a == b if has_three else (a == "full") == (b == "full") for a, b in counted.elements())
    shares = {
        "people_full": people.count("full"),
        "judge_full": judges.count("full"),
        "majority": max(Counter(people).values(), default=0),
        "accuracy": right,
    }
    both = np.stack([rule, two], 1)
    intervals = {
        "balanced_accuracy": agreement_interval(two, balanced_accuracy, seed),
        "kappa": agreement_interval(shown, kappa, seed),
        "kappa_linear": agreement_interval(shown, lambda table: kappa(table, power=1), seed),
        "words_alone": agreement_interval(rule, balanced_accuracy, seed),
        "over_words": agreement_interval(both, lambda table: np.diff(balanced_accuracy(table))[..., 0], seed),
    }
    figures = {name: Figure(**interval.measured) for name, interval in intervals.items() if interval.value is not None}
    figures |= {name: Figure(value=count / n) for name, count in shares.items() if n}
    return SetCard(
        name=chosen.name,
        file=chosen.file,
        n=n,
        failed=states["failed"] + states["unverifiable"],
        undecided=states["na"],
        unasked=len(chosen.claims) - len(verdicts),
        labels=chosen.labels,
        confusion={person: {judge: counted[person, judge] for judge in THREE} for person in chosen.labels},
        figures=figures,
    )


def words_alone(labelled: LabelledSet, seed: str) -> dict[str, Label]:
    """A label for each claim by the share of its words that occur in its sources, compared with a threshold.

    The claims are split in two by question, and the threshold of each half is the best one of the other. No claim is
    labelled by a threshold that was chosen on it or on another claim of its question.
    """
    halves: tuple[list[LabelledClaim], list[LabelledClaim]] = ([], [])
    for claim in labelled.claims:
        halves[int(sha256_of([seed, claim.question or claim.item])[:8], 16) % 2].append(claim)
    shares = {claim.item: share_of_words(claim) for claim in labelled.claims}
    least = [_best_threshold([(shares[claim.item], claim.label == "full") for claim in half]) for half in halves]
    return {
        claim.item: "full" if shares[claim.item] >= threshold else "none"
        for half, threshold in zip(halves, reversed(least), strict=True)
        for claim in half
    }


def share_of_words(claim: LabelledClaim) -> float:
    """The share of the claim's content stems that occur in its sources; 0 if it has no stems."""
    wanted = set(content_stems(claim.claim))
    return len(wanted & set(content_stems("\n".join(claim.sources)))) / len(wanted) if wanted else 0.0


def _best_threshold(shares: Sequence[tuple[float, bool]]) -> float:
    """The least share that counts as full, with the best balanced accuracy; 1 if only one kind of label occurs."""
    full, other = sum(is_full for _, is_full in shares), sum(not is_full for _, is_full in shares)
    if not full or not other:
        return 1.0

    def accuracy(least: float) -> float:
        return sum((share >= least) / full if is_full else (share < least) / other for share, is_full in shares)

    return max(sorted({share for share, _ in shares}), key=accuracy)


def keep_card(experiment: Path, judge: Judge, card: JudgeCard) -> tuple[Path, str]:
    """Writes the card beside its verdicts. Returns its path, and a sentence on an earlier card that it replaced.

    Other sets of an earlier card are kept if its prompt, version and seed are the same.
    """
    path, before = cards_folder(experiment) / f"{judge.slug}.json", None
    with suppress(UserError):  # one that can't be read is made again
        before = read_document(path, JudgeCard) if path.is_file() else None
    other_sets, replaced = list[SetCard](), ""
    if before and all(getattr(before, name) == getattr(card, name) for name in ("prompt_hash", "version", "seed")):
        names = {part.name for part in card.sets}
        other_sets = [part for part in before.sets if part.name not in names]
    elif before:
        other = f"the seed {before.seed}" if before.seed != card.seed else "another prompt"
        sets = f"on {', '.join(part.name for part in before.sets)}"
        replaced = f"It replaced the card of {card.judge.spec} with {other}, {sets}."
    whole = card.model_copy(update={"sets": (*other_sets, *card.sets)})
    write_json(path, whole.document())
    return path, replaced


def read_cards(experiment: Path) -> list[JudgeCard]:
    """All cards of an experiment. Raises UserError for a file that is no card."""
    return [read_document(path, JudgeCard) for path in sorted(cards_folder(experiment).glob("*.json"))]


def card_lines(experiment: Path) -> dict[str, str]:
    """By judge key, the line that must stand beside a judge's faithfulness scores, for each judge with a card.

    Empty if a card is damaged: ``finding_lines`` reports that, and scores are shown without lines.
    """
    try:
        return {card.judge.key: card_line(card) for card in read_cards(experiment)}
    except UserError:
        return {}


def card_line(card: JudgeCard) -> str:
    """How often the judge is right in each set; or that the card was made with another prompt."""
    judge = card.judge
    if (card.prompt_hash, card.version) != (support_prompt("default").hash, VERSION):
        return f"{judge.spec} was held against people's labels with another prompt: drretail lab card asks again."
    parts: list[str] = []
    for part in card.sets:
        answers = unanswered_in_words(part.failed, part.unasked)
        left = f", {answers}" if answers else ""
        left += f", {part.undecided:,} not decided" if part.undecided else ""
        accuracy, alone = part.figure("balanced_accuracy"), part.figure("words_alone")
        if accuracy.value is None:
            parts.append(f"{part.name}: nothing to say of {part.n} claims{left}")
            continue
        few = "" if accuracy.ci_low is not None else ", too few for an interval"
        words = f", words alone {number(alone.value)}" if alone.value is not None else ""
        parts.append(f"{part.name}: {accuracy.in_words} of {part.n:,} claims{few}{left}{words}")
    return (
        f"{judge.spec} beside people's labels (balanced accuracy of “supported”, 0.50 is chance): {'; '.join(parts)}."
    )


VOTES = Path("votes")
Options = Mapping[str, str | Sequence[object] | None]
"""A command's options by flag, each with one value or several."""


def keep(
    experiment: Path, finding: LabFinding, folders: Sequence[Path], options: Options | None = None
) -> dict[str, Any]:
    """Writes EXP/lab/NAME.json with the finding's line and what it rests on, and returns the document.

    ``folders``, relative to the experiment, hold people's answers or one judge's verdicts in a metric. ``options`` of
    the command, such as files that it read, are shown once the finding is stale.
    """
    # As on the command line, where an option with several values is repeated.
    by_flag = {name: [value] if isinstance(value, str) else value or [] for name, value in (options or {}).items()}
    words = [word for name, values in by_flag.items() for value in values for word in (name, str(value))]
    rests_on = {str(path): content_hash(experiment, path) for path in folders}
    facts = {"line": finding.summary(), "rests_on": rests_on, "options": join(words)}
    document = {"format": finding.format, **facts, **finding.document()}
    write_json(experiment / "lab" / f"{finding.name}.json", document)
    return document


def verdict_folders(experiment: Path, metric: str = "*") -> list[Path]:
    """A folder for each metric and judge with verdicts, relative to the experiment."""
    folders = (experiment / "verdicts").glob(f"{metric}/*/")
    return sorted(path.relative_to(experiment) for path in folders if path.is_dir())


def content_hash(experiment: Path, folder: Path) -> str:
    """A hash of people's answers or a judge's verdicts in a folder, and of the questions that the judge is asked today.

    Journals are left out because they hold times, and lines are sorted because concurrent verdicts come in any order.
    """
    digest = sha256()
    whole = experiment / folder
    folders = [whole, *(path for path in whole.rglob("*") if path.is_dir())]
    for path in sorted(place / name for place in folders for name in packed_names(place)):
        if not path.name.endswith(JOURNAL):
            digest.update(f"{path.relative_to(experiment)}\n".encode())
            digest.update(b"\n".join(sorted(data_of(path).splitlines())))
    if folder.parent.parent.name == "verdicts":
        metric = installed(folder.parent.name)
        questions = [] if metric is None else [str(metric.version), *sorted(metric.prompt_hashes())]
        digest.update("\n".join(questions).encode())
    return digest.hexdigest()[:16]


def finding_lines(experiment: Path) -> list[str]:
    """A line for each judge's card and each finding of the lab. A stale finding's line says so and why."""
    try:
        cards = [*map(card_line, read_cards(experiment))]
    except UserError as problem:
        cards = [str(problem)]
    return [*cards, *(_line(experiment, path) for path in sorted((experiment / "lab").glob("*.json")))]


def _line(experiment: Path, path: Path) -> str:
    again = f"drretail lab {path.stem} {experiment}"
    try:
        document = read_json(path)
    except UserError as problem:
        return f"{problem} {again} makes it again."
    line, rests_on = document.get("line"), document.get("rests_on")
    if not isinstance(line, str) or not line or not isinstance(rests_on, dict):
        return f"{path} has no line, or none that this version reads: {again} makes it again."
    changed = [
        str(folder) for folder, before in rests_on.items() if content_hash(experiment, Path(str(folder))) != before
    ]
    if not changed:
        return line
    again = " ".join(filter(None, [again, str(document.get("options") or "")]))
    return f"Stale, since {', '.join(changed)} changed: {again} makes it anew. It was: {line}"

"""What became of each answer: right, or which fault; as bars, as a map of questions by systems, and as chips."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.records.score import Systems, place_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS
from drretail.viewer.experiment import Question
from drretail.viewer.page.links import Links
from drretail.viewer.run_lines import DECISIONS, RunLine
from drretail.viewer.tables.scores import system_names

_WIDE, _TALL = 100, 10
"""Width and height of a bar, in units of its own."""
_LONGEST = 110


CHIPS = {"wrong": "with wrong picks", "false": "with false statements", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A fault by which the page filters, with the number of answers that have it and one of these."""

    fault: str
    count: int
    words: str
    example: RunLine


def researched(lines: Iterable[RunLine], systems: Systems) -> list[RunLine]:
    """The runs of systems that research: neither floors nor the oracle."""
    return [line for line in lines if place_of(line.label, systems) in ("system", "counterfactual")]


def are_decided(lines: Iterable[RunLine]) -> bool:
    """True if it is known of some answer whether its decision is right; then runs that failed are faults, too."""
    return any(line.decision not in ("open", "failed") for line in lines)


def chips(lines: Sequence[RunLine]) -> list[Chip]:
    """What went wrong in answers, each with an example from the hardest question that has one."""
    by_question: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        by_question[line.question.number].append(line)
    hardest = sorted(lines, key=lambda line: _share_right(by_question[line.question.number]))
    faulty = {fault: [line for line in hardest if fault in line.faults] for fault in CHIPS}
    return [Chip(fault, len(its), CHIPS[fault], its[0]) for fault, its in faulty.items() if its]


def bar(parts: Sequence[tuple[str, int, str]], css: str) -> Markup:
    """A bar with a part for each class, count and words, as wide as its share."""
    total, x = sum(count for _, count, _ in parts), 0.0
    shown: list[Markup] = []
    for name, count, words in parts:
        width = _WIDE * count / total
        part = Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"><title>{} {}</title></rect>')
        shown.append(part.format(x, width, _TALL, name, count, words))
        x += width
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(css, _WIDE, _TALL, ", ".join(f"{count} {words}" for _, count, words in parts), Markup().join(shown))


def outcome_bar(lines: Iterable[RunLine]) -> Markup:
    """What became of one system's answers: faults from the left, then what is open, right answers last.

    The counts stand below it with their signs, so that it needs no colour.
    """
    counts = Counter(line.decision for line in lines)
    shown = [(name, counts[name], *DECISIONS[name]) for name in DECISIONS if counts[name]]
    each = Markup('<span>{} {}<span class="word"> {}</span></span> ')
    signs = Markup().join(each.format(sign, count, words) for _, count, sign, words in shown)
    below = Markup('<small class="signs" aria-hidden="true">{}</small>').format(signs)
    return bar([(f"is-{name}", count, words) for name, count, _, words in shown], "outcomes") + below


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report by support, the worst from the left."""
    ordered = sorted(line.counts.items(), key=lambda each: -SEVERITY.index(each[0]))
    return bar([(support, count, WORDS[support]) for support, count in ordered], "claimbar")


def outcome_map(lines: Sequence[RunLine], links: Links, systems: Systems, order: Sequence[str]) -> Table:
    """What became of every answer: a row for each question, the hardest first, a column for each researching system.

    Each cell is one answer, with its claims as a second layer. Systems stand in this order, then those that it lacks.
    """
    names = system_names({line.label for line in lines}, systems)
    names = {label: names[label] for label in dict.fromkeys([*order, *names]) if label in names}
    runs: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        runs[line.question.number].append(line)
    rows: list[Row] = []
    for number in sorted(runs, key=lambda number: (_share_right(runs[number]), number)):
        question = runs[number][0].question
        of_system = {label: [line for line in runs[number] if line.label == label] for label in names}
        cells = [Markup().join(_answer(line, names[label], links) for line in its) for label, its in of_system.items()]
        rows.append(
            Row(
                shown_text(question),
                tuple(Cell("", html=html) if html else Cell("not asked") for html in cells),
                meaning=" ".join(question.query.text.split()),
                link=links.question(question),
            )
        )
    return Table("Every answer", tuple(map(Column, names.values())), tuple(rows), heading="Question, hardest first")


def question_dots(lines: Sequence[RunLine], systems: Systems, order: Sequence[str]) -> list[tuple[str, list[RunLine]]]:
    """Of two systems, the questions on which one, both or neither is right: in words, with an answer to each.

    Empty unless there are two.
    """
    names = system_names({line.label for line in lines}, systems)
    labels = [label for label in dict.fromkeys([*order, *names]) if label in names]
    if len(labels) != 2 or not are_decided(lines):
        return []
    ways = (True, False), (False, True), (True, True), (False, False)
    groups: dict[tuple[bool, ...], list[RunLine]] = {way: [] for way in ways}
    firsts = {(line.question.number, line.label): line for line in lines if line.repeat == 1}
    for number in sorted({number for number, _ in firsts}):
        pair = [firsts[number, label] for label in labels if (number, label) in firsts]
        if len(pair) == 2:
            groups[tuple(line.decision == "right" for line in pair)].append(pair[0])
    a, b = (names[label] for label in labels)
    words = f"only {a} is right", f"only {b} is right", "both are right", "neither is right"
    return [(text, answers) for text, answers in zip(words, groups.values(), strict=True) if answers]


def shown_text(question: Question) -> str:
    """The beginning of what was asked, in one line."""
    text = " ".join(question.query.text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"


def _share_right(lines: Sequence[RunLine]) -> float:
    return sum(line.decision == "right" for line in lines) / len(lines)


def _answer(line: RunLine, name: str, links: Links) -> Markup:
    sign, words = DECISIONS[line.decision]
    claims = claims_bar(line) if line.counts else line.lacks_claims
    false = f", {counted(line.false, 'false statement')}" if line.false else ""
    return Markup(
        '<a class="cell is-{}" href="{}" data-run="{}" data-is="{}" title="{}: {}{}">'
        '<span class="sign" aria-hidden="true">{}{}</span><span class="unseen">{}</span>'
        '<span class="layer">{}</span></a>'
    ).format(
        line.decision,
        links.answer(line),
        line.run_id,
        " ".join(line.faults),
        name,
        words,
        false,
        sign,
        SIGNS["contradicted"] if line.false else "",
        f"{words}{false}",
        claims,
    )

"""What became of each answer: right, or which fault; as bars, as a map of questions by systems, and as chips."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from drretail.records.score import Systems, place_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS
from drretail.viewer.page.links import Links
from drretail.viewer.run_lines import DECISIONS, WRONG_PICKS, RunLine
from drretail.viewer.tables.scores import system_names

_WIDE, _TALL = 100, 10
"""Width and height of a bar, in units of its own."""
_LONGEST = 110


def researched(lines: Iterable[RunLine], systems: Systems) -> list[RunLine]:
    """The runs of systems that research: neither floors nor the oracle."""
    return [line for line in lines if place_of(line.label, systems) in ("system", "counterfactual")]


def are_decided(lines: Iterable[RunLine]) -> bool:
    """True if it is known of some answer whether its decision is right; then runs that failed are faults, too."""
    return any(line.decision not in ("open", "failed") for line in lines)


def chips(lines: Sequence[RunLine]) -> list[tuple[str, int, str]]:
    """What went wrong in answers: the name by which the page filters, how many answers, and in words.

    The last one stands for all answers.
    """
    counts = {
        "wrong": ("with wrong picks", sum(line.decision in WRONG_PICKS for line in lines)),
        "false": ("with false statements", sum(line.false > 0 for line in lines)),
        "failed": ("failed", sum(line.decision == "failed" for line in lines)),
    }
    return [(name, count, words) for name, (words, count) in counts.items() if count]


def marks_of(line: RunLine) -> list[str]:
    """The names of the chips that show this run."""
    marks = {"wrong": line.decision in WRONG_PICKS, "false": line.false > 0, "failed": line.decision == "failed"}
    return [name for name, is_so in marks.items() if is_so]


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
    runs: dict[int, dict[str, list[RunLine]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        runs[line.question.number][line.label].append(line)
    questions = {line.question.number: line.question for line in lines}
    rows: list[Row] = []
    for number in sorted(runs, key=lambda number: (_share_right(runs[number]), number)):
        text = " ".join(questions[number].query.text.split())
        cells = [Markup().join(_answer(line, names[label], links) for line in runs[number][label]) for label in names]
        rows.append(
            Row(
                text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …",
                tuple(Cell("", html=html) if html else Cell("not asked") for html in cells),
                meaning=text,
                link=links.question(questions[number]),
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
    return [(said, answers) for said, answers in zip(words, groups.values(), strict=True) if answers]


def _share_right(by_label: Mapping[str, Sequence[RunLine]]) -> float:
    every = [line for its in by_label.values() for line in its]
    return sum(line.decision == "right" for line in every) / len(every)


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
        " ".join(marks_of(line)),
        name,
        words,
        false,
        sign,
        SIGNS["contradicted"] if line.false else "",
        f"{words}{false}",
        claims,
    )

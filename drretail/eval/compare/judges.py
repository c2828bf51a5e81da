"""What judges are called in sentences: shortly, where nobody else heard could be meant."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from drretail.eval.panel import names_panel
from drretail.records.comparison import Comparison, JudgeTable
from drretail.records.pairs import PairScore

Judged = JudgeTable | PairScore
Name = Callable[[Judged], str]
"""What the judge of a table or of a row is called."""


def judge_of(row: Judged) -> str:
    """The judge, with what tells it from another of the same model, and its rules where these are not our own."""
    return _with_rules(f"{row.judge}-{row.judge_params}" if row.judge_params else row.judge, row)


def naming(comparison: Comparison) -> Name:
    """Names for one comparison: "anthropic:claude" without the hash of its settings, "the panel's median"."""
    heard: dict[str, Judged] = {judge_of(row): row for row in [*comparison.tables, *comparison.pairs]}
    often = Counter(map(_short, heard.values()))

    def name(row: Judged) -> str:
        short = _short(row)
        return short if often[short] == 1 else judge_of(row)

    return name


def _short(row: Judged) -> str:
    if not names_panel(row.judge):
        return _with_rules(row.judge, row)
    how = row.judge.partition("(")[2].partition(")")[0]
    return _with_rules(f"the panel's {how}", row)


def _with_rules(name: str, row: Judged) -> str:
    return name if row.rules == "default" else f"{name} (rules {row.rules})"


def alike(said: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """(judge, what it says) grouped: the judges that say the same things, and these, each once, in order."""
    by_thing: dict[str, list[str]] = {}
    for judge, thing in said:
        by_thing.setdefault(thing, []).append(judge)
    groups: dict[tuple[str, ...], list[str]] = {}
    for thing, judges in by_thing.items():
        groups.setdefault(tuple(judges), []).append(thing)
    yield from groups.items()

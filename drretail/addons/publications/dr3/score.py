"""A report's values in all of DR³-Eval's metrics, and their averages; the metric."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from drretail.addons.publications import DESCRIPTIONS
from drretail.addons.publications.dr3.gold_files import take_gold
from drretail.addons.publications.dr3.judge import NAME, VERSION, gold_of, judge, prepare, prompts
from drretail.addons.publications.dr3.parts import (
    SHORT,
    Judged,
    citation_coverage,
    depth_quality,
    factual_accuracy,
    instruction_following,
    mean_of,
    recall,
)
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, description_of, joined
from drretail.records.score import Rules, Verdict

SIX = ("IR_UF", "IR_SC", "CC", "FA", "IF", "DQ")
"""The metrics in the paper's average."""
RELEASED = ("IR", "FA", "DQ", "IF", "CC")
"""The metrics in the released code's total, where recall counts once."""
_PARTS = tuple(f"{name}_{short}" for name in ("CC", "FA", "FA_pair") for short in SHORT.values())
VARIANTS = (*SIX, "avg6", "avg_available", "IR", "IR_graded", "FA_pair", "FA_lenient", *_PARTS, "total")


def values(judged: Judged) -> list[Value]:
    """Every variant under these rules; variants of other rules are left out."""
    made = [
        *recall(judged),
        *citation_coverage(judged),
        *factual_accuracy(judged),
        instruction_following(judged),
        depth_quality(judged),
    ]
    by_name = {value.variant: value for value in made}
    six = [by_name[name] for name in SIX]
    # The mean of those of the six that exist; the items count how many reports have each.
    there = [value for value in six if value.state == "scored"]
    available = Value("avg_available", "na")
    if there:
        available = Value("avg_available", "scored", mean_of(there), {f"with {value.variant}": 1.0 for value in there})
    averages = [joined("avg6", six, fmean), available]
    return [*made, *averages, *([total(by_name)] if judged.is_released else [])]


def total(values: Mapping[str, Value]) -> Value:
    """The released code's total: the sum of all scores divided by the number of metrics. −1 counts as it is, failures
    count 0.

    na if the judge was not asked for all of them.
    """
    if any(values[name].state == "na" for name in RELEASED):
        return Value("total", "na")
    scores = [values[name].value or 0.0 for name in RELEASED]
    return Value("total", "scored", sum(scores) / len(scores))


DESCRIPTION = description_of("dr3", DESCRIPTIONS)


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    if subject.report is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    return values(Judged(verdicts, rules, gold_of(subject), criteria_of(subject, NAME)))


# A rule-based judge is enough for FA, and CC needs none; the rest is n/a with a rule-based judge.
METRIC = Metric(
    NAME,
    VERSION,
    judge,
    _values,
    VARIANTS,
    DESCRIPTION,
    prompts,
    rules=("default", "dr3"),
    after=("faithfulness",),
    prepare=prepare,
    inputs={"gold": take_gold},
)

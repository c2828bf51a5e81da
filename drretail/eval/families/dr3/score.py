"""A report's values in all of DR³-Eval's metrics, and their averages; the metric family."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from drretail.eval.families.dr3.gold_files import take_gold
from drretail.eval.families.dr3.judge import FAMILY, VERSION, gold_of, judge, prepare, prompts
from drretail.eval.families.dr3.parts import (
    SHORT,
    Judged,
    citation_coverage,
    depth_quality,
    factual_accuracy,
    instruction_following,
    mean_of,
    recall,
)
from drretail.eval.family import Family
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Value, joined
from drretail.records.score import MetricDescription, Rules, Verdict
from drretail.records.scoreboard import BoardColumn

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


DESCRIPTION = MetricDescription(
    title="DR³-Eval",
    meaning="The six scores of DR³-Eval, each from 0 to 100.",
    meanings={
        "IR_UF": "insight recall: share of the insights in the user's files that the report states in full",
        "IR_SC": "share of the insights in the sandbox's pages that the report states in full",
        "CC": "citation coverage: share of the required documents that the report cites",
        "FA": "factual accuracy: share of cited claims that all their sources support",
        "IF": "instruction following: share of the query's requirements that the report meets",
        "DQ": "depth quality: depth of the analysis, rated by the query's rubric",
        "avg6": "mean of these six, for reports that have all",
        "avg_available": "mean of those of the six that a report has",
        "IR": "mean of IR_UF and IR_SC, or the one that a query has",
        "IR_graded": "IR with ½ for insights stated in part",
        "FA_pair": "share of claim–source pairs in which the source supports the claim",
        "FA_lenient": "FA if a source must support part of the claim and contradict nothing",
        "CC_UF": "CC for the user's files",
        "CC_SC": "CC for the sandbox's pages",
        "FA_UF": "FA for the user's files",
        "FA_SC": "FA for web pages",
        "FA_pair_UF": "FA_pair for the user's files",
        "FA_pair_SC": "FA_pair for web pages",
        "total": "total of the released code, which counts missing values as −1 and failures as 0",
    },
    headlines=(*SIX, "avg6"),
    compared=SIX,
    summaries=("avg6", "avg_available"),
    primary=("avg6",),
    correlated=("IR", "CC", "FA", "IF", "DQ"),
    plots={"DR³-Eval": SIX},
    groups={
        **dict.fromkeys(("IR", "IR_graded"), "recall"),
        **dict.fromkeys(("CC_UF", "CC_SC"), "coverage"),
        **dict.fromkeys(("FA_pair", "FA_lenient", "FA_UF", "FA_SC", "FA_pair_UF", "FA_pair_SC"), "accuracy"),
    },
    scoreboard=(BoardColumn(variant="avg6", name="dr3", meaning="DR³-Eval's average of six, 0 to 100"),),
    scale="percent",
)


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    if subject.report is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    return values(Judged(verdicts, rules, gold_of(subject), criteria_of(subject, FAMILY)))


# A rule-based judge is enough for FA, and CC needs none; the rest is n/a with a rule-based judge.
METRIC = Family(
    FAMILY,
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

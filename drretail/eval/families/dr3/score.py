"""The values of a report in all of DR³-Eval's metrics, and their averages; these as a metric family."""

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
"""What the paper's average is of."""
RELEASED = ("IR", "FA", "DQ", "IF", "CC")
"""What the released code's total is of: recall counts once."""
_PARTS = tuple(f"{name}_{short}" for name in ("CC", "FA", "FA_pair") for short in SHORT.values())
VARIANTS = (*SIX, "avg6", "avg_available", "IR", "IR_graded", "FA_pair", "FA_lenient", *_PARTS, "total")


def values(judged: Judged) -> list[Value]:
    """Every variant under these rules; those that only other rules have are left out."""
    made = [
        *recall(judged),
        *citation_coverage(judged),
        *factual_accuracy(judged),
        instruction_following(judged),
        depth_quality(judged),
    ]
    by_name = {value.variant: value for value in made}
    six = [by_name[name] for name in SIX]
    # Of those of the six that there are; its items say how many reports had each.
    there = [value for value in six if value.state == "scored"]
    available = Value("avg_available", "na")
    if there:
        available = Value("avg_available", "scored", mean_of(there), {f"with {value.variant}": 1.0 for value in there})
    averages = [joined("avg6", six, fmean), available]
    return [*made, *averages, *([total(by_name)] if judged.is_released else [])]


def total(values: Mapping[str, Value]) -> Value:
    """As released: all scores by the number of metrics; −1 is averaged in, and a metric that broke counts 0.

    None where the judge was not asked in all of them.
    """
    if any(values[name].state == "na" for name in RELEASED):
        return Value("total", "na")
    scores = [values[name].value or 0.0 for name in RELEASED]
    return Value("total", "scored", sum(scores) / len(scores))


MEANINGS = {
    "IR_UF": "share of the insights of the user's files that the report tells in full; 0 to 100, as all that follow",
    "IR_SC": "share of the insights of the sandbox's pages that the report tells in full",
    "CC": "share of the required documents that the report cites",
    "FA": "share of the claims with sources that all their sources bear out",
    "IF": "share of the query's requirements that the report meets",
    "DQ": "depth of the analysis, rated by the query's own rubric",
    "avg6": "mean of these six, where a report has all",
    "avg_available": "mean of those of the six that a report has: reports with other ones can't be compared",
    "IR": "mean of IR_UF and IR_SC, of those a query has",
    "IR_graded": "as IR, with half for what is told in part",
    "FA_pair": "share of the pairs of a claim and a source in which the source bears it out",
    "FA_lenient": "as FA, where a source has to bear out some of the claim and contradict nothing",
    "CC_UF": "CC of the user's files",
    "CC_SC": "CC of the sandbox's pages",
    "FA_UF": "FA by the user's files alone",
    "FA_SC": "FA by web pages alone",
    "FA_pair_UF": "FA_pair by the user's files alone",
    "FA_pair_SC": "FA_pair by web pages alone",
    "total": "the released code's total of five: what could not be evaluated is averaged in as −1, what broke as 0",
}

DESCRIPTION = MetricDescription(
    title="DR³-Eval",
    meaning="Recall of known insights (IR), coverage of required documents (CC), accuracy of cited claims (FA), "
    "instructions followed (IF) and depth (DQ), each 0 to 100 (docs/publications.md).",
    meanings=MEANINGS,
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


# No opinion: CC needs no judge, and FA none that has opinions; one that follows rules is not asked for the rest.
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

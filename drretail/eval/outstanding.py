"""How much of a judge's work on a report, or on a pair of them, stands already: judging that was cut is not done."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from drretail.eval.faithfulness.claims import ALL, CITED, SUPPORT, Claim, units
from drretail.eval.faithfulness.support import SETTLED
from drretail.eval.pairwise.dimensions import DIMENSIONS as COMPARED
from drretail.eval.quality.dimensions import DIMENSIONS as RATED
from drretail.eval.registry import PAIRWISE
from drretail.records.rules import Rules
from drretail.records.score import Verdict

FAITHFULNESS, QUALITY = "faithfulness", "quality"


def work_done(metric: str, verdicts: Iterable[Verdict]) -> float:
    """How many times a report was judged, or a pair was read in one order, the parts of one time as shares of it.

    All repeats count, each by the set of rules that came farthest. A family of which nobody knows its parts is done
    once it has any verdict.
    """
    every = list(verdicts)
    known: set[Rules] = {verdict.rules for verdict in every}
    repeats = {verdict.judge_repeat for verdict in every}
    return sum(max(done_by_repeat(metric, every, rules).get(repeat, 0.0) for rules in known) for repeat in repeats)


def done_by_repeat(metric: str, verdicts: Iterable[Verdict], rules: Rules) -> Mapping[int, float]:
    """The same for each repeat of the judge under these rules; what other rules asked as well is not asked again."""
    groups: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.judge_repeat].append(verdict)
    return {repeat: _done(metric, rules, held) for repeat, held in groups.items()}


def _done(metric: str, rules: Rules, verdicts: Sequence[Verdict]) -> float:
    if metric == PAIRWISE:  # an order may be drawn for each dimension, so that half of both is one reading
        return len({(verdict.item, verdict.order) for verdict in verdicts}) / len(COMPARED)
    if metric == QUALITY:
        return len({verdict.item for verdict in verdicts} & {*RATED}) / len(RATED)
    if metric == FAITHFULNESS:
        return _borne_out(rules, verdicts)
    return float(any(verdict.rules == rules for verdict in verdicts))


def _borne_out(rules: Rules, verdicts: Sequence[Verdict]) -> float:
    """The share of the two extractions and, once the cited claims are known, of all units that were judged.

    A unit that was settled without a question is one to ask under rules that settle nothing.
    """
    extracted = {verdict.stage: verdict for verdict in verdicts if verdict.stage in (CITED, ALL)}
    cited = extracted.get(CITED)
    if cited is None:
        return 0.0  # how many units there are nobody knows, and these are most of the work
    claims = [Claim.model_validate(value) for value in cited.value] if cited.state == "scored" else []
    wanted = {unit.item for claim in claims for unit in units(claim, rules)}
    support = [verdict for verdict in verdicts if verdict.stage == SUPPORT]
    judged = {verdict.item for verdict in support if verdict.rules == rules or SETTLED not in verdict.notes}
    return (len(extracted) + len(wanted & judged)) / (2 + len(wanted))

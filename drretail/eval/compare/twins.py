"""Pairs of queries of which the shop can meet only one: what each system decided on both."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from drretail.errors import UserError
from drretail.eval.registry import DECIDES, load_metric
from drretail.eval.scores.gathering import Gathered, gather
from drretail.records.comparison import TwinRow
from drretail.stats.significance import sign_test

Pair = tuple[bool, bool]
"""Whether the query that can't be met was refused, and whether its twin was refused."""
RIGHT, REFUSED_BOTH, BOUGHT_BOTH, REVERSED = (True, False), (True, True), (False, False), (False, True)


def twin_rows(experiment: Path) -> list[TwinRow]:
    """A row for each system, sorted by label. Raises UserError if the experiment has no pair, or if none was judged."""
    rows = twin_rows_of(gather(experiment, [load_metric(DECIDES)]))
    if not rows:
        raise UserError(
            f"{experiment} holds no outcome of a pair of twins: make some with `drretail queries spoil`, run them, and "
            f"`drretail score {experiment} --metrics outcome`."
        )
    return rows


def twin_rows_of(gathered: Gathered) -> list[TwinRow]:
    """A row for each system, sorted by label; none if no pair has an outcome."""
    rows: list[TwinRow] = []
    for label, tasks in sorted(_decisions(gathered).items()):
        pairs = [(refused[True], refused[False]) for refused in tasks.values() if len(refused) == 2]
        counts = Counter(pairs)
        # 1 for a right pair, -1 for a reversed one, 0 for one with the same decision on both.
        differences = [float(refused) - float(refused_twin) for refused, refused_twin in pairs]
        rows.append(
            TwinRow(
                system=label,
                right=counts[RIGHT],
                refused_both=counts[REFUSED_BOTH],
                bought_both=counts[BOUGHT_BOTH],
                reversed=counts[REVERSED],
                missing=len(tasks) - len(pairs),
                j=sum(differences) / len(pairs) if pairs else None,
                p=sign_test(differences),
            )
        )
    return rows


def _decisions(gathered: Gathered) -> Mapping[str, Mapping[str, Mapping[bool, bool]]]:
    """By system and task: whether each query was refused, under True for the one that can't be met, False for its twin.

    Only first repeats count, and a report that declares nothing decides nothing. Tasks with one query are left out, and
    so are tasks without an outcome of the query that can't be met.
    """
    queries = Counter(query.task_id for query in gathered.definition.queries)
    refusals: dict[str, dict[str, dict[bool, bool]]] = defaultdict(lambda: defaultdict(dict))
    by_run = {
        run: judged
        for key, table in gathered.tables_of_judges.items()
        if key.metric == DECIDES
        for run, judged in table.items()
    }
    for plan in gathered.plans:
        task, judged = plan.query.task_id, by_run.get(plan.run_id)
        if task is None or queries[task] < 2 or judged is None or plan.repeat != 1:
            continue
        undeclared = judged.values.get("undeclared")
        if undeclared is not None and undeclared.value:
            continue
        for is_proved, variant in ((True, "refusal_recall"), (False, "false_refusal")):
            value = judged.values.get(variant)
            if value is not None and value.value is not None:
                refusals[plan.label][task][is_proved] = bool(value.value)
    proved = {task for tasks in refusals.values() for task, refused in tasks.items() if True in refused}
    return {label: {task: tasks[task] for task in proved} for label, tasks in refusals.items()} if proved else {}

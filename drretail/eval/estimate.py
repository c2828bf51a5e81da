"""The likely cost of judging: ``score`` itself, on a copy, with a stand-in for every judge that is a model.

The copy links to the runs and holds the verdicts, so that existing verdicts are not asked for again, and nothing is
written into the experiment. Of a large experiment some queries are copied, and their cost is scaled to all.
"""

import random
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from statistics import variance
from typing import Any

from drretail.env.web.stand_in import StandInWeb
from drretail.eval.judging.criteria import FOLDER
from drretail.eval.judging.question import judge_journals, read_journal_of, verdict_files
from drretail.eval.judging.session import Judge
from drretail.eval.method import PACKAGED, Wording
from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.scoring import score
from drretail.experiment import Definition, read_definition, write_definition
from drretail.files import unsynced
from drretail.journal import Effect
from drretail.llm.estimates import AS_COUNTED, AS_WRITTEN, Estimate, Range, dollars_of
from drretail.llm.event_loop import run_loop
from drretail.llm.stand_in import LONG, PROSE, SHORT, StandIn, in_place_of
from drretail.llm.usage import BATCH, CHARACTERS_PER_TOKEN
from drretail.packs import JOURNAL, PACKS, unpack_below
from drretail.progress import Progress
from drretail.records.base import file_name
from drretail.records.run import Usage
from drretail.run_file import RUN_FILE

MOST_JOBS = 100
"""Reports × metrics × judges in a dry run: so many take about five seconds of processor time."""
FEWEST_QUERIES = 4
"""The smallest sample of queries: fewer do not show how queries differ."""
ERRORS = 2
"""Standard errors of the sample by which a range is widened on each side."""


_LINKED = ("runs", "profiles")
_LEFT_OUT = ("experiment.json", "scores.json", "lab")
_DEPTH = 4
"""The depth of a folder of verdicts: verdicts/METRIC/JUDGE/LABEL."""
_REPEAT = re.compile(r"-r\d+$")


@dataclass(slots=True)
class QueryUsage:
    """What one judge is asked in one metric about one query."""

    calls: float = 0
    read: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """Tokens, if the stand-in's own texts are short and if they are long."""
    written: list[float] = field(default_factory=lambda: [0.0, 0.0])
    runs: int = 0
    """Reports or pairs that it is asked about."""
    makes_criteria: bool = False

    def add(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            used = Usage(**(effect.usage or {}))
            self.calls += used.calls
            own = sum(message["content"].count(PROSE) for message in effect.request["messages"])
            _widen(self.read, used.input_uncached + used.cache_read + used.cache_creation, own, AS_COUNTED)
            _widen(self.written, used.output, str(effect.response).count(PROSE), AS_WRITTEN)


def _widen(tokens: list[float], counted: float, own: int, others: Range) -> None:
    """Adds tokens: ``own`` of the texts are the stand-in's, which are short or long, and the rest is scaled by
    ``others``.
    """
    rest = max(0.0, counted - own * len(PROSE) / CHARACTERS_PER_TOKEN)
    for at, (length, factor) in enumerate(((SHORT, others.low), (LONG, others.high))):
        tokens[at] += rest * factor + own * length / CHARACTERS_PER_TOKEN


def estimate_judging(
    experiment: Path,
    metrics: Sequence[str | Metric],
    judges: Sequence[Judge],
    *,
    wording: Wording = PACKAGED,
    fetch_sources: bool = False,
    **arguments: Any,
) -> list[Estimate]:
    """One estimate for each metric and judge: what ``score`` with the same ``arguments`` would send.

    Calls are those of the dry run, without repairs of answers: exact if the whole experiment was run through, else ±
    the sample's error. ``fetch_sources`` assumes that unfetched cited pages exist and have typical length. Raises what
    ``score`` raises.
    """
    definition = read_definition(experiment)
    # One without prompts may ask on behalf of another, as "false_statements" does for the reading of answers.
    loaded = [one for one in load_metrics(metrics) if one.needs_judge and (one.prompt_hashes() - {""} or one.after)]
    asking = [*loaded, *(metric for metric in metrics if metric == PAIRWISE)]

    def stand_in_of(judge: Judge) -> Judge:
        """The judge with a stand-in for its model; rule-based judges cost nothing and are asked themselves."""
        if judge.model is None or judge.ref.kind == "rule_based":
            return judge
        return replace(judge, model=in_place_of(judge.model, StandIn(profile=judge.model.chat.profile)))

    sample = Sample.of(experiment, definition, len(asking) * len(judges))
    with unsynced(), tempfile.TemporaryDirectory(prefix="drretail-estimate-") as folder:
        copied = Path(folder) / "experiment"
        _copy(experiment, copied, definition, sample.query_ids)
        before = {path: len(read_journal_of(path)) for path in judge_journals(copied)}
        dry_run = score(
            copied,
            asking,
            [stand_in_of(judge) for judge in judges],
            progress=Progress(),
            derives=False,
            wording=wording,
            missing=dict.fromkeys(definition.systems, StandInWeb()) if fetch_sources else None,
            **arguments,
        )
        run_loop(dry_run)
        # By metric and judge's folder, of each query what was asked that no journal had held.
        usage: dict[tuple[str, str], dict[str, QueryUsage]] = defaultdict(lambda: defaultdict(QueryUsage))
        for path in judge_journals(copied):
            effects = read_journal_of(path)[before.get(path, 0) :]
            if effects:
                name, slug, label = path.relative_to(copied / "verdicts").parts[:3]
                one = usage[name, slug][_query_of(path)]
                one.add(effects)
                one.runs += label != FOLDER
                one.makes_criteria |= label == FOLDER
    judges_used = [judge.with_wording(wording.label) for judge in judges]
    keys = [
        (PAIRWISE if isinstance(metric, str) else metric.name, judge.slug)
        for metric in asking
        for judge in judges_used
        if isinstance(metric, str) or metric.prompt_hashes() - {""}
        if not (judge.ref.kind == "rule_based" if isinstance(metric, str) else is_unrated(metric, judge.ref))
    ]
    # A metric may ask on behalf of another, as "reading" does for the claims of faithfulness.
    keys += sorted(key for key in usage if key not in keys)
    by_slug = {judge.slug: judge for judge in judges_used}
    return [_estimate(name, by_slug[slug], usage.get((name, slug), {}), sample) for name, slug in keys]


@dataclass(frozen=True, slots=True)
class Sample:
    """The queries of the dry run, by stratum, and the size of each stratum."""

    parts: Sequence[Sequence[str]]
    """Query ids, grouped by what exists for them: reports, criteria, verdicts of each judge."""
    sizes: Sequence[int]

    @classmethod
    def of(cls, experiment: Path, definition: Definition, tables: int) -> "Sample":
        """All queries of a small experiment, or a share of each stratum, drawn by the experiment's seed.

        ``tables`` is the number of judges times the number of metrics.
        """
        places_of: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        paths = [*experiment.glob("runs/*/*"), *experiment.glob("rubrics/*/*.json")]
        for path in (*paths, *verdict_files(experiment), *judge_journals(experiment)):
            places_of[_query_of(path)].add(path.relative_to(experiment).parent.parts)
        by_places: dict[frozenset[tuple[str, ...]], list[str]] = defaultdict(list)
        for query in definition.queries:
            by_places[frozenset(places_of[file_name(query.query_id)])].append(query.query_id)
        strata = [*by_places.values()]
        sizes = [len(part) for part in strata]
        total, jobs = sum(sizes), sum(sizes) * len(definition.systems) * tables
        wanted = max(FEWEST_QUERIES, total * MOST_JOBS // max(1, jobs))
        if wanted >= total:
            return cls(strata, sizes)
        draw = random.Random(f"estimate {definition.seed}")
        drawn = [draw.sample(part, min(len(part), max(2, round(wanted * len(part) / total)))) for part in strata]
        return cls(drawn, sizes)

    @property
    def query_ids(self) -> set[str]:
        return {query_id for part in self.parts for query_id in part}

    @property
    def judges_used(self) -> str:
        """What an estimate from the sample rests on, in words."""
        some, whole = sum(map(len, self.parts)), sum(self.sizes)
        return "a dry run" if some == whole else f"a dry run of {some:,} of {whole:,} queries"

    def total(self, values: Sequence[Sequence[float]]) -> Range:
        """The sum over all queries, extrapolated from these values, ± the sample's error."""
        strata = list(zip(values, self.sizes, strict=True))
        total = sum(size * sum(part) / len(part) for part, size in strata)
        squares = (size * (size - len(part)) * variance(part) / len(part) for part, size in strata if len(part) > 1)
        error = ERRORS * sqrt(sum(squares))
        return Range(max(0.0, total - error), total + error)


def _query_of(path: Path) -> str:
    """The query's file name in the path of a run, its verdicts, or a query's criteria."""
    endings = (RUN_FILE, JOURNAL, ".jsonl", ".json")
    ending = next((ending for ending in endings if path.name.endswith(ending)), "")
    return _REPEAT.sub("", path.name.removesuffix(ending))


def _copy(experiment: Path, to: Path, definition: Definition, queries: set[str]) -> None:
    """Copies the experiment with these queries only; what ``score`` does not write into is linked."""
    stems = {file_name(query_id) for query_id in queries}

    def ignored(folder: str, names: list[str]) -> Iterable[str]:
        place = Path(folder).relative_to(experiment).parts
        if not place:
            return [each for each in names if each in (*_LINKED, *_LEFT_OUT) or each.startswith(".")]
        others = place[0] == "verdicts" and len(place) == _DEPTH
        return [each for each in names if others and each not in PACKS and _query_of(Path(each)) not in stems]

    shutil.copytree(experiment, to, ignore=ignored, copy_function=shutil.copyfile)
    unpack_below(to / "verdicts", lambda name: _query_of(Path(name)) in stems)
    for run in experiment.glob("runs/*/*"):
        if _query_of(run) in stems:
            link = to / run.relative_to(experiment)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(run.resolve())
    for name in filter(lambda literal: (experiment / literal).exists(), _LINKED[1:]):
        (to / name).symlink_to((experiment / name).resolve())
    copied = tuple(query for query in definition.queries if query.query_id in queries)
    write_definition(to, definition.model_copy(update={"queries": copied}))


def _estimate(name: str, judge: Judge, usage: Mapping[str, QueryUsage], sample: Sample) -> Estimate:
    """The sample's cost, extrapolated to all queries."""
    parts = [[usage.get(file_name(each), QueryUsage()) for each in part] for part in sample.parts]

    def total(value: Callable[[QueryUsage], float]) -> Range:
        return sample.total([[value(query_usage) for query_usage in part] for part in parts])

    read = Range(total(lambda usage: usage.read[0]).low, total(lambda usage: usage.read[1]).high)
    written = Range(total(lambda usage: usage.written[0]).low, total(lambda usage: usage.written[1]).high)
    price = None if judge.model is None else judge.model.price
    price = price.times(BATCH) if price is not None and judge.in_batches else price
    made = round(total(lambda usage: usage.makes_criteria).middle)
    criteria = f", and first the criteria of {made:,} {'query' if made == 1 else 'queries'}" if made else ""
    return Estimate(
        f"{name} by {judge.ref.spec}",
        round(total(lambda usage: usage.runs).middle),
        total(lambda usage: usage.calls),
        read,
        written,
        dollars_of(read, written, [] if price is None else [price]),
        sample.judges_used + criteria + (", at half the price in batches" if judge.in_batches else ""),
        () if price is not None else (judge.ref.spec,),
        "pairs" if name == PAIRWISE else "reports",
    )

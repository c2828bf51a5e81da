"""How each judge judged: its prompts, which a user may override by files; its model, settings and cost; and how far its
numbers can be trusted, as code and add-ons say.

A judge with other prompts is another judge: it has a name, verdicts and scores of its own. Its prompts are kept in the
experiment, so that its verdicts remain valid when they are read.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import TypeVar, cast

from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.judging.spending import JudgingCost, judging_costs
from drretail.eval.registry import METRICS, PAIRWISE, installed, load_metric, pair_metric
from drretail.files import write_atomically
from drretail.llm.prompt import Prompt, changed_prompts, file_name_of, files_by_name, overridden_prompts, plain_text
from drretail.llm.usage import served_notes
from drretail.plugins import ADDONS, Plugins
from drretail.records.base import Rules, file_name, sha256_of
from drretail.records.comparison import JudgeTable
from drretail.records.figures import dollars, number, percent
from drretail.records.run import slug
from drretail.records.score import CODE, JudgeRef, Judging, MetricDescription, Scores

_METRICS = Path(__file__).parent / "metrics"
_SHARED = Path(__file__).parent
"""The folder of prompts that several metrics share."""
KEPT = Path("prompts") / "judges"
"""The folder in an experiment; packaged prompts are not copied."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wording:
    """A user's prompts for judges, by packaged file; ``name`` is the name of their folder."""

    name: str = ""
    texts: dict[Path, str] = field(default_factory=dict[Path, str])

    @property
    def label(self) -> str:
        """Distinguishes judges by their prompts: ``prompts-strict-1a2b3c4d``; empty for the packaged ones."""
        if not self.texts:
            return ""
        by_name = {file_name_of(path): text for path, text in self.texts.items()}
        return f"prompts-{slug(self.name)}-{sha256_of(by_name)[:8]}"


PACKAGED = Wording()


def judge_prompt_files() -> dict[str, Path]:
    """The packaged prompt files of all judges, by the name under which each can be overridden."""
    pairs = pair_metric()
    loads = [*(partial(pairs.prompt_hashes, rules) for rules in pairs.rules)]
    loads += [load_metric(name).prompt_hashes for name in METRICS]
    return files_by_name(loads)


def read_wording(folder: Path, others: Collection[str] = ()) -> Wording:
    """The prompts in ``folder`` that differ from the packaged ones. Raises as ``changed_prompts`` does."""
    return Wording(folder.resolve().name, changed_prompts(folder, judge_prompt_files(), others=others))


def keep_wording(experiment: Path, wording: Wording) -> None:
    """Keeps the prompts beside the verdicts that they led to."""
    for path, text in wording.texts.items():
        path_kept = experiment / KEPT / file_name(wording.label) / file_name_of(path)
        if not path_kept.exists():
            write_atomically(path_kept, text)


def in_all_wordings(experiment: Path, load: Callable[[], frozenset[T]]) -> frozenset[T]:
    """The union of what ``load`` returns with the packaged prompts and with every set kept in the experiment."""
    union: frozenset[T] = frozenset()
    for texts in ({}, *[_texts(folder) for folder in sorted((experiment / KEPT).glob("*/"))]):
        with overridden_prompts(texts):
            union |= load()
    return union


def _texts(folder: Path) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    roots = (_METRICS, *sorted(ADDONS.glob("*/")))  # the folders that hold metrics' own
    for path in sorted(folder.rglob("*.*")):
        owner = path.parent.name
        folder_of_owner = next((root / owner for root in roots if (root / owner).is_dir()), _SHARED / owner)
        packaged = folder_of_owner / "prompts" / path.name
        texts[packaged] = plain_text(path.read_text(encoding="utf-8"))
    return texts


NOT_MEASURED = "not measured against people (drretail lab card)"
NOT_REPEATED = "not measured (drretail score --repeats 2)"
RULE_BASED = "rules of drretail, no language model: the same report always gets the same answer"
_RULES: tuple[Rules, ...] = ("default", "paper")
"""The rules under which pairs have prompts of their own."""


@dataclass(frozen=True, slots=True)
class MethodCard:
    """What a reader needs to know of one judge before its numbers."""

    judge: str
    lines: Mapping[str, str]
    """By what each is about: the served model, decoding, cost, repeats …"""
    prompts: tuple[tuple[str, Prompt], ...]
    """Those that it was asked by, each with its metric."""

    @property
    def facts(self) -> Mapping[str, str]:
        """The lines, and the prompts by their hashes."""
        prompts = ", ".join(f"{metric} {prompt.name} {prompt.hash[:8]}" for metric, prompt in self.prompts)
        return {**self.lines, **({"Prompts (drretail prompts judges writes them)": prompts} if prompts else {})}

    @property
    def text(self) -> list[str]:
        return [f"How {self.judge} judged", *(f"{name}: {fact}" for name, fact in self.facts.items())]


def method_cards(experiment: Path, scores: Scores) -> list[MethodCard]:
    """A card for every judge that was asked, in the order of the scores."""
    costs = judging_costs(experiment)
    prompts_by_judge = defaultdict[tuple[str, str], set[tuple[str, str]]](set)
    for row in scores.judgings:
        if row.judge != CODE and row.prompts:
            prompts_by_judge[row.judge, row.judge_params] |= {(row.metric, prompt) for prompt in row.prompts}
    for pair in scores.pairs:
        if pair.prompt_hash:
            prompts_by_judge[pair.judge, pair.judge_params].add((PAIRWISE, pair.prompt_hash))
    prompts = {metric: _prompts(experiment, metric) for its in prompts_by_judge.values() for metric, _ in its}
    return [
        MethodCard(
            f"{judge} {params}".rstrip(),
            _lines(judge, params, scores, costs),
            tuple((metric, prompts[metric][prompt]) for metric, prompt in sorted(its) if prompt in prompts[metric]),
        )
        for (judge, params), its in prompts_by_judge.items()
    ]


def _prompts(experiment: Path, metric: str) -> Mapping[str, Prompt]:
    """The metric's prompts by hash, in all wordings; none if its plugin is not installed."""

    def load() -> frozenset[Prompt]:
        if metric == PAIRWISE:
            return frozenset(prompt for rules in _RULES for prompt in pair_metric().prompts(rules).values())
        loaded = installed(metric)
        return frozenset(() if loaded is None else loaded.prompts())

    return {prompt.hash: prompt for prompt in in_all_wordings(experiment, load)}


def _lines(judge: str, params: str, scores: Scores, costs: Sequence[JudgingCost]) -> dict[str, str]:
    of_judge = (judge, params)
    costs = [cost for cost in costs if cost.judge == judge and (not params or cost.folder.endswith(f"-{params}"))]
    audits = [audit for audit in scores.audits if (audit.judge, audit.judge_params) == of_judge]
    reading = {"Reading": " ".join(audit.line for audit in audits)} if audits else {}
    judgings = [row for row in scores.judgings if (row.judge, row.judge_params) == of_judge]
    pairs = [row for row in scores.pairs if (row.judge, row.judge_params) == of_judge]
    valued = next((row for row in (*scores.scores, *pairs) if (row.judge, row.judge_params) == of_judge), None)
    key = JudgeRef(spec=judge, kind="llm", params_hash=params).key
    cards = [described.judges[key] for described in scores.metrics.values() if key in described.judges]
    measured = {"Against people": " ".join(dict.fromkeys(cards)) or NOT_MEASURED}
    if valued is not None and valued.judge_kind == "rule_based":
        return {"Judge": RULE_BASED, **measured, **reading}
    served = dict.fromkeys(name for cost in costs for name in cost.cost.usage.served)
    others = served_notes((judge, cost.cost.usage) for cost in costs)
    settings = {name: value for cost in costs for name, value in cost.params.items() if name != "base_url"}
    repeats = max((row.repeats for row in judgings), default=1)
    calls, tokens = (sum(getattr(cost.cost.usage, name) for cost in costs) for name in ("calls", "total"))
    paid = [cost.cost.dollars for cost in costs]
    # How often a judge of pairs answers otherwise in the other order, if it was asked both.
    turned = [(row.flip_rate, row.n_scored) for row in pairs if row.flip_rate is not None]
    between_orders: dict[str, str] = {}
    if n := sum(count for _, count in turned):
        changed = percent(sum(rate * count for rate, count in turned) / n)
        between_orders["Noise between orders"] = f"another answer to {changed} of judgements of pairs (n={n:,})"
    price = "price unknown" if None in paid else f"${dollars(sum(dollars_paid or 0 for dollars_paid in paid))}"
    return {
        "Served model": " ".join([", ".join(served) or "not named by the provider", *others]),
        "Decoding": ", ".join(f"{name} {value}" for name, value in sorted(settings.items())) or "defaults",
        "Took": f"{calls:,} calls, {tokens:,} tokens, {price}",
        "Times asked": f"{repeats:,} per report",
        "Noise between repeats": "; ".join(_noise(judgings, scores.metrics)) or NOT_REPEATED,
        **between_orders,
        "Answers sent back": f"{sum(row.repairs for row in (*judgings, *pairs)):,}",
        **measured,
        **reading,
    }


def _noise(judgings: Sequence[Judging], described: Mapping[str, MetricDescription]) -> Iterator[str]:
    """How far a judge's repeats on one report differ in headlines."""
    by_headline = defaultdict[str, list[float]](list)
    for row in judgings:
        for variant, deviation in row.noise.items():
            by_headline[described[row.metric].name_of(row.metric, variant)].append(deviation)
    # Over systems, each of which has the same queries.
    pooled = (f"{name} {number(sqrt(fmean(sd**2 for sd in its)))}" for name, its in by_headline.items())
    if by_headline:
        yield f"standard deviation on one report: {', '.join(pooled)}"


_JUDGES = Plugins("note on a judge", {}, "drretail.judge_notes")
_SCORES = Plugins("note on scores", {}, "drretail.score_notes")


def judge_notes(experiment: Path) -> dict[str, str]:
    """By judge key, the line that must stand beside a judge's faithfulness scores."""
    notes: dict[str, str] = {}
    for name in _JUDGES.own:
        notes |= cast(Callable[[Path], Mapping[str, str]], _JUDGES.load(name)[1])(experiment)
    return notes


def score_notes(experiment: Path) -> list[str]:
    """The lines that stand below an experiment's scores."""
    noted = (cast(Callable[[Path], Iterable[str]], _SCORES.load(name)[1]) for name in _SCORES.own)
    return [line for lines in noted for line in lines(experiment)]


def judges_of_faithfulness(tables: Iterable[JudgeTable]) -> set[str]:
    """The keys of the judges whose faithfulness a comparison shows under the default rules, as on cards."""
    return {
        JudgeRef(spec=table.judge, kind=table.judge_kind, params_hash=table.judge_params).key
        for table in tables
        if table.rules == "default" and any(row.metric == FAITHFULNESS for row in table.rows)
    }

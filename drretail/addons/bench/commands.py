"""``bench`` from Python: each function does what the command of its name does, and returns what the command prints."""

from pathlib import Path

from drretail.addons.bench import ranking as ranks
from drretail.addons.bench import release as releases
from drretail.addons.bench import submission as submissions
from drretail.addons.bench.options import MakeOptions, PublishOptions, RankOptions, SubmitOptions
from drretail.addons.bench.ranking import Ranking
from drretail.addons.bench.release import Release
from drretail.addons.bench.submission import Accepted
from drretail.api.option import accepts
from drretail.progress import choose_progress
from drretail.records.tables.figures import counted, dollars, short
from drretail.records.tables.result import Prose, Result
from drretail.records.tables.table import Cell, table_of

RANKS = (
    "ranks: those that paired tests leave possible, corrected over all pairs (Holm). truth: worth of the decisions "
    "of true reports; others count 0. true: share of true reports. *: no other ranked system is as good for less. "
    "forged: the odds that runs forged to gain .10, .20 or .30 in truth would have been ranked. "
    "Baselines are not ranked."
)


@accepts(MakeOptions)
def make(options: MakeOptions) -> Result[Release]:
    """The release that was made. Raises UserError as ``release.make`` does."""
    to = Path(options.to)
    made = releases.make(
        to,
        closes=options.closes,
        world=None if options.world is None else Path(options.world),
        queries=None if options.queries is None else Path(options.queries),
        n=options.n,
        seed=options.seed,
        progress=choose_progress(),
    )
    lines = [f"{to}: {counted(made.queries, 'query')} on the world {made.world_fingerprint[:12]}."]
    lines += [f"{value}  {name}" for name, value in made.commitment.items()]
    hints = [f"Next: drretail bench publish {to} --to FOLDER"]
    if options.queries is None and (fewer := options.n - made.queries):
        levels = f"of levels {releases.LEVELS[0]} to {releases.LEVELS[-1]}"
        hints.insert(0, f"{fewer:,} fewer than --n: other users have no query {levels}, or none with a twin of these.")
    return Result(made, made.model_dump(mode="json"), lines, hints=hints, path=to)


@accepts(PublishOptions)
def publish(options: PublishOptions) -> Result[Release]:
    """The release whose folder for contestants was written. Raises UserError for gold before the close."""
    to = Path(options.to)
    made = releases.publish(Path(options.release), to, closed=options.closed, gold=options.gold)
    line = f"{to}: {counted(made.queries, 'task')}{', with gold' if options.gold else ''}."
    hint = f"Next, with a contestant's runs: drretail bench submit {options.release} EXP --manifest FILE"
    return Result(made, made.model_dump(mode="json"), [line], hints=[] if options.gold else [hint], path=to)


@accepts(SubmitOptions)
def submit(options: SubmitOptions) -> Result[Accepted]:
    """What the verification showed. Raises UserError for a submission that is not accepted."""
    paths = Path(options.release), Path(options.experiment), Path(options.manifest)
    accepted = submissions.submit(*paths, sample=options.n, exhibit=options.exhibit)
    lines = [f"Accepted{' late' if accepted.late else ''}{'' if accepted.verified else ', unverified'}."]
    lines += [f"{label}: {rerun_of.line}" for label, rerun_of in accepted.again.items()]
    lines += [f"Not checked: {line}." for line in accepted.not_checkable]
    return Result(accepted, accepted.model_dump(mode="json"), lines, hints=[f"Next: drretail bench rank {paths[0]}"])


@accepts(RankOptions)
def rank(options: RankOptions) -> Result[Ranking]:
    """The ranks of all submitted systems. Raises UserError if there is no submission."""
    ranking = ranks.rank(Path(options.release))
    rows = [
        (
            row.system,
            "–" if row.ranks is None else "–".join(map(str, sorted({*row.ranks}))),
            Cell(row.truth, "number", row.ci_low, row.ci_high),
            row.true,
            None if row.style is None else Cell(row.style, "signed"),
            None if row.tokens is None else f"{row.tokens:.1f}{'*' if 'tokens' in row.on_front else ''}",
            None if row.dollars is None else f"{dollars(row.dollars)}{'*' if 'dollars' in row.on_front else ''}",
            "/".join(short(odds) for odds in row.forged.values()) or None,
            row.door,
            ", ".join(row.notes),
        )
        for row in ranking.rows
    ]
    names = ["system", "ranks", "truth", "true", "style", "tokens (k)", "$", "forged", "door", ""]
    title = f"{ranking.release}: {counted(ranking.queries, 'query')}"
    table = table_of(title, names, rows, spare=("style", "door"))
    return Result(ranking, ranking.model_dump(mode="json"), [table, Prose(RANKS)])

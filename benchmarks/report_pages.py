"""How long the report of an experiment takes to build and to open, beside reading all its records once.

    python benchmarks/report_pages.py EXP --queries 50 334 --json report_pages.json

EXP is a recorded and scored experiment, such as the demo's; its queries are multiplied until there are as many, each
with the runs and verdicts of the one that it was made of. The limit beside it: every JSON of those runs that a page
shows (runs, evidence, results, verdicts) unpacked and parsed, once. Opening is what Chromium takes for the index.
"""

import gzip
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from command import processor_of
from figures import hold, keep, parser_of

from drretail.eval.judging.question import verdict_files
from drretail.eval.numbers.file import derive_scores
from drretail.eval.registry import METRICS, load_metric
from drretail.experiments.experiment import path_of, read_definition, run_files
from drretail.experiments.packs import PACKS, data_of, pack_below
from drretail.experiments.run_file import RUN_FILE, Member, read_members, read_recorded, write_run_file
from drretail.files import write_json
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import write_report_page

OF_RUNS: tuple[Member, ...] = ("run", "evidence", "journal", "results")


@dataclass(frozen=True, slots=True)
class Built:
    """One experiment's report."""

    queries: int
    runs: int
    read: float
    """Seconds to read all its JSON once, of the processor, as all times without another word."""
    built: float
    """From the folder to the pages."""
    wall: float
    """The same by the clock on the wall, on which whoever else works on the machine shows."""
    command: float
    """As a user pays it, from start to end."""
    again: float
    """The same command, with nothing changed since."""
    opened: float | None
    """Seconds until Chromium has loaded the index; None where there is none."""
    pages: int
    megabytes: float
    largest: float
    """Of one page, in MB."""
    peak: float
    """Memory of this process at its highest, in MB."""

    @property
    def ratio(self) -> float:
        return self.built / self.read


def multiplied(experiment: Path, to: Path, queries: int) -> Path:
    """A copy with this many queries; those beyond the recorded ones are the same under other ids."""
    definition = read_definition(experiment)
    recorded = definition.queries
    made: list[tuple[str, str]] = []
    for number in range(queries):
        old = recorded[number % len(recorded)].query_id
        made.append((old, old if number < len(recorded) else f"{old}x{number // len(recorded)}"))
    by_id = {query.query_id: query for query in recorded}
    asked = tuple(by_id[old].model_copy(update={"query_id": new}) for old, new in made)
    changed = definition.model_copy(update={"queries": asked, "asked": {}, "categories": {}})
    to.mkdir(parents=True)
    write_json(to / "experiment.json", changed.model_dump(mode="json", exclude_none=True))
    for name in ("profiles", "rubrics"):
        if (experiment / name).exists():
            shutil.copytree(experiment / name, to / name)
    verdicts = verdict_files(experiment)
    for old, new in made:
        for path in (experiment / "runs").glob(f"*/{old}-r*{RUN_FILE}"):
            _copy_run(path, to, old, new)
        for path in (path for path in verdicts if path.name.startswith(f"{old}-r")):
            target = to / path.parent.relative_to(experiment) / path.name.replace(old, new, 1)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(data_of(path).decode().replace(f"/{old}-r", f"/{new}-r"), encoding="utf-8")
    pack_below(to / "verdicts")
    shutil.copy(experiment / "board.json", to)
    metrics = [load_metric(name) for name in METRICS]
    write_json(to / "scores.json", derive_scores(to, metrics).model_dump(mode="json", exclude_none=True))
    return to


def _copy_run(path: Path, to: Path, old: str, new: str) -> None:
    recorded = read_recorded(path)
    run_id = recorded.run.run_id.replace(f"/{old}-r", f"/{new}-r")
    renamed = recorded.run.model_copy(update={"query_id": new, "run_id": run_id})
    write_run_file(path_of(to, renamed), replace(recorded, run=renamed))


def read_everything(experiment: Path) -> float:
    """Seconds to unpack and parse every file that a page is made of."""
    verdicts = (experiment / "verdicts").rglob(PACKS[0])
    begun = time.process_time()
    for path in run_files(experiment):
        for lines in read_members(path, *OF_RUNS).values():
            for line in lines:
                json.loads(line)
    for path in (experiment / "experiment.json", experiment / "scores.json", *verdicts):
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        for line in text.splitlines() if ".jsonl" in path.name else [text]:
            json.loads(line)
    return time.process_time() - begun


def opening(index: Path) -> float | None:
    """Seconds that a browser takes for the index, beyond those for an empty page; None without a browser."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return None
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom"]
        seconds: dict[str, list[float]] = {"about:blank": [], index.as_uri(): []}
        for address in [*seconds] * 3:
            begun = time.perf_counter()
            subprocess.run([browser, *flags, address], capture_output=True, check=True, timeout=120)  # noqa: S603
            seconds[address].append(time.perf_counter() - begun)
    empty, page = (min(times) for times in seconds.values())
    return max(0.0, page - empty)


def measured(experiment: Path, queries: int) -> Built:
    with tempfile.TemporaryDirectory() as home:
        folder = multiplied(experiment, Path(home) / "exp", queries)
        read = read_everything(folder)
        begun, wall = time.process_time(), time.perf_counter()
        view = read_view(folder)
        index = write_report_page(view, folder / "report.html")
        built, wall = time.process_time() - begun, time.perf_counter() - wall
        pages = [*index.parent.glob("*.html")]
        sizes = [page.stat().st_size / 1e6 for page in pages]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return Built(
            queries=len(view.questions),
            runs=len(view.runs),
            read=read,
            built=built,
            wall=wall,
            command=processor_of("report", str(folder)),
            again=processor_of("report", str(folder)),
            opened=opening(index),
            pages=len(pages),
            megabytes=sum(sizes),
            largest=max(sizes),
            peak=peak,
        )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--queries", type=int, nargs="+", default=[50])
    given = parser.parse_args()
    if not (given.experiment / "scores.json").exists():
        sys.exit(f"{given.experiment} has no scores yet: drretail score makes them.")
    built = [measured(given.experiment, queries) for queries in given.queries]
    hold(all(each.runs and each.pages for each in built), "pages of runs were written")
    print("\n".join(table(built)))
    keep(given.json, [asdict(each) | {"ratio": each.ratio} for each in built])


def table(built: Sequence[Built]) -> Iterator[str]:
    """A line an experiment."""
    heads = ["queries", "runs", "JSON read, s", "built, s", "on the wall, s", "×"]
    heads += ["command, s", "again, s", "index opened, s", "pages", "MB", "largest, MB", "memory, MB"]
    yield f"| {' | '.join(heads)} |"
    yield f"|{'--:|' * len(heads)}"
    for it in built:
        cells = [f"{it.queries:,}", f"{it.runs:,}", f"{it.read:.1f}", f"{it.built:.1f}", f"{it.wall:.1f}"]
        cells += [f"{it.ratio:.1f}", f"{it.command:.1f}", f"{it.again:.1f}"]
        cells += ["–" if it.opened is None else f"{it.opened:.1f}", f"{it.pages:,}"]
        cells += [f"{it.megabytes:.1f}", f"{it.largest:.1f}", f"{it.peak:.0f}"]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

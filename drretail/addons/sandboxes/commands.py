"""``build_sandbox`` and ``check_sandbox``: sealed webs, one for each query."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from drretail.addons.sandboxes.check import sandbox_faults
from drretail.addons.sandboxes.folder import read_sizes
from drretail.addons.sandboxes.options import OFFLINE, BuildOptions, CheckSandboxOptions
from drretail.addons.sandboxes.search_based.asker import CAPPED, Asker, open_asker
from drretail.addons.sandboxes.search_based.build import (
    BuildSettings,
    BuiltSandbox,
    FoundBuilder,
    begin_build,
)
from drretail.addons.sandboxes.synthetic.build import build_offline
from drretail.addons.sandboxes.synthetic.facts import user_files
from drretail.addons.sandboxes.synthetic.needs import need_of
from drretail.api.models import Spent, open_writer
from drretail.api.option import accepts
from drretail.api.options.shared import split_names
from drretail.api.settings import read_settings
from drretail.api.worlds import check_askable, chosen_web, world_of
from drretail.env.offers import Offers
from drretail.env.web.base import WEBS, is_module
from drretail.env.web.sandbox import read_sandbox
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.spending import Allowance
from drretail.event_loop import run_loop
from drretail.files import files_below
from drretail.llm.registry import Model, check_priced
from drretail.querygen.reading import read_queries
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.viewer.drawing.progress import busy, choose_progress
from drretail.viewer.drawing.result import Result


@accepts(BuildOptions)
def build_sandbox(options: BuildOptions) -> Result[BuiltSandbox]:
    """Makes a set of web pages for each query: pages that answer it, pages that mislead, and noise.

    Raises UserError if ``to`` holds something else, for an unknown web, and for a search engine without a model.
    """
    _sizes(options)  # raises now if they are none
    name, colon, _ = options.web.partition(":")
    if options.web != OFFLINE and name not in WEBS.names() and not (colon and is_module(name)):
        raise UnknownName("web", name, [OFFLINE, *WEBS.names()])
    of_engines = {
        "--model": options.model,
        "--max-tokens": options.max_tokens,
        "--max-dollars": options.max_dollars,
        "--files": options.files,
    }
    flags = [flag for flag, value in of_engines.items() if value]
    if options.web == OFFLINE and flags:
        raise UserError(f"{', '.join(flags)}: only where a search engine finds pages, with --web serper or searxng.")
    sandbox = _build_offline(options) if options.web == OFFLINE else _build_found(options)
    document = {
        "folder": str(sandbox.folder),
        "tasks": sandbox.tasks,
        "wanted": sandbox.wanted,
        "failed": dict(sandbox.failed),
    }
    if sandbox.spent is None:
        line = f"{sandbox.folder}: {counted(sandbox.wanted, 'query')}, in {', '.join(sandbox.sizes)}."
        return Result(
            sandbox, document, [line], notes=sandbox.notes, path=sandbox.folder, accounts=[sandbox.task_account]
        )
    lines = [f"{query_id}: {report.line}." for query_id, report in sandbox.reports.items()]
    lines += [*sandbox.notes, f"{sandbox.folder}: {sandbox.tasks} of {counted(sandbox.wanted, 'task')}."]
    lines.append(sandbox.spent.line)
    document |= sandbox.spent.document
    return Result(
        sandbox,
        document,
        lines,
        notes=[*_on_failed(sandbox.failed)],
        hints=sandbox.spent.on_prices,
        left=len(sandbox.failed),
        path=sandbox.folder,
        accounts=[sandbox.task_account, *([sandbox.page_account] if sandbox.reports else [])],
    )


def _on_failed(failed: Mapping[str, str]) -> Iterator[str]:
    """Sentences on what failed, and how to go on."""
    for query_id, why in failed.items():
        yield f"{query_id} was left out: {why.rstrip('.')}."
    capped = {query_id for query_id, why in failed.items() if why.startswith(CAPPED)}
    if capped:
        yield "The same command with a higher cap continues from here."
    if len(capped) < len(failed):
        yield "--retry failed asks again where a model failed, and searches again where there were too few pages."


def _build_offline(options: BuildOptions) -> BuiltSandbox:
    to, notes = Path(options.to), list[str]()
    with world_of(options.world) as shop:
        queries = read_queries(Path(options.queries))
        check_askable(shop, queries)
        with busy(f"Building the webs of {counted(len(queries), 'query')}"):
            pages = build_offline(shop, queries, to, _sizes(options), options.seed, notes.append)
    return BuiltSandbox(to, len(queries), len(queries), pages, notes=notes)


def _sizes(options: BuildOptions) -> dict[str, int]:
    return read_sizes(",".join(split_names(options.sizes)))


def _build_found(options: BuildOptions) -> BuiltSandbox:
    to, files = Path(options.to), None if options.files is None else Path(options.files)
    writer = _writer(options)
    if files is not None and not files.is_dir():
        raise UserError(f"There is no folder {files}: it holds a folder of files for each query's or user's id.")
    with world_of(options.world) as shop:
        wanted = read_queries(Path(options.queries))
        check_askable(shop, wanted)
        web = chosen_web(read_settings(web=options.web))
        settings = BuildSettings(
            day=datetime.now(UTC).date(),
            world=shop.manifest.fingerprint,
            web=web.provider,
            model=writer.spec,
            seed=options.seed,
        )
        settings = begin_build(to, settings, {query.query_id for query in wanted})
        with (
            _asker(to, writer, options) as asker,
            choose_progress().track(f"Building by {writer.spec}", len(wanted)) as bar,
        ):
            builder = FoundBuilder(
                shop,
                web,
                asker,
                to,
                _sizes(options),
                files_by(shop, files, options.seed),
                settings,
                on_task=lambda _: bar.advance(),
            )
            built = run_loop(builder.build(wanted))
            return replace(built, spent=Spent(writer, asker.usage, asker.served))


@dataclass(frozen=True, slots=True)
class CheckedSandbox:
    """What is wrong with the tasks of a sandbox."""

    faults: Mapping[str, Sequence[str]]
    """The faults by query; empty for a task that passes."""

    @property
    def passing(self) -> list[str]:
        """The queries whose tasks pass."""
        return [query_id for query_id, faults in self.faults.items() if not faults]


@accepts(CheckSandboxOptions)
def check_sandbox(options: CheckSandboxOptions) -> Result[CheckedSandbox]:
    """The faults of a sandbox: in sizes, labels, gold and personal data.

    Raises UserError for a folder without a sandbox, and for another world.
    """
    folder = Path(options.folder)
    with nullcontext() if options.world is None else world_of(options.world) as shop:
        if shop is not None and shop.manifest.fingerprint != read_sandbox(folder).world_fingerprint:
            raise UserError(f"{folder} was made for another shop: name its world with --world.")
        faults = sandbox_faults(folder, shop)
    checked = CheckedSandbox(faults)
    lines = [f"{query_id}: {fault}" for query_id, of_query in faults.items() for fault in of_query]
    lines.append(f"{len(checked.passing)} of {len(faults)} queries pass.")
    return Result(
        checked,
        {"faults": {name: list(of_query) for name, of_query in faults.items()}, "passing": checked.passing},
        lines,
        left=len(faults) - len(checked.passing),
    )


def files_by(shop: World, folder: Path | None, seed: str) -> Callable[[Query], Mapping[str, bytes]]:
    """A function that gives a query's files: those in ``own``, in a folder of the query's or the user's id, if it has
    any, and otherwise made-up ones: orders, and a note and a manual for what the query is most about.

    Without a wish they are about the user's last order. Raises UserError if the shop offers nothing for the query.
    """

    def of(query: Query) -> Mapping[str, bytes]:
        for name in (query.query_id, query.user_id):
            if folder is not None and name and (paths := files_below(folder / name)):
                return {path.name: path.read_bytes() for path in paths}
        # The user's last order of a product that the shop still knows; None without a user.
        ids = [] if query.user_id is None else [order.product_id for order in shop.store.orders(query.user_id).orders]
        products = shop.store.products(ids)
        newest = next((products[product_id] for product_id in ids if product_id in products), None)
        if query.wish is None and newest is not None:
            query = query.model_copy(update={"text": newest.title})
        planned = user_files(need_of(shop, Offers(shop), query), shop.store, Random(f"{seed}/{query.query_id}"))
        return {file.name: file.content for file in planned}

    return of


def _writer(options: BuildOptions) -> Model:
    """The model and the prices. Raises UserError if no model is named: money is spent only on request."""
    writer = open_writer(options.model, options.model_profile, options.base_url)
    if writer is None:
        raise UserError("Pages of a search engine are judged by a language model: add --model PROVIDER:MODEL.")
    return writer


def _asker(folder: Path, model: Model, options: BuildOptions) -> AbstractContextManager[Asker]:
    """The model with a sandbox's journal. Raises UserError if dollars are capped and the model has no price."""
    if options.max_dollars is not None:
        check_priced([model])
    allowance = Allowance(options.max_tokens, options.max_dollars)
    retry_failed = options.retry == "failed"
    return open_asker(model, folder, parallel=options.parallel, retry_failed=retry_failed, allowance=allowance)

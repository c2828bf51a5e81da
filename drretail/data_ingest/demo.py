"""The shops that come by name, demo and market: made up, ingested once, the same on every machine."""

from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from shutil import copytree

from drretail.data_ingest.recipe import RECIPE_VERSION
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.store.sqlite import TABLES
from drretail.errors import UserError
from drretail.files import is_unfinished, made_whole
from drretail.progress import Progress
from drretail.records.base import FORMAT, sha256_of

SEED = "42"


@dataclass(frozen=True, slots=True)
class DemoShop:
    """A made-up shop that a name stands for. Its orders have several quantities and statuses."""

    products: int
    reviews: int
    min_interactions: int = 5
    seed: str = SEED


DEMO = DemoShop(400, 6_000)
"""Small enough that one can look through it."""
MARKET = DemoShop(4_000, 60_000, min_interactions=0)
"""Large enough that search matters: some eighty products of each of fifty kinds."""
SHOPS = {"demo": DEMO, "market": MARKET}
LEAVES = frozenset({"raw", "world", "recorded", "report.md", "report.html"})
"""The names that a demo leaves in its folder; ``raw`` is made first."""


def check_is_demo(folder: Path) -> None:
    """Raises UserError if the folder holds anything but the files of a demo, complete or interrupted."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: name a new folder with --to.")
    present = [path for path in folder.iterdir() if not is_unfinished(path)] if folder.is_dir() else []
    strange = [path.name for path in present if path.name not in LEAVES]
    if strange or (present and not (folder / "raw").is_dir()):
        raise UserError(f"{folder} holds files that are not a demo's: name a new folder with --to.")


def build_shop(folder: Path, progress: Progress, shop: DemoShop = DEMO) -> Path:
    """Builds the world in ``folder``/world from the files in ``folder``/raw. Existing files and worlds are reused."""
    # Imported here: most commands find the world made already.
    from drretail.data_ingest.ingest import ingest_files
    from drretail.data_ingest.plan import IngestSettings
    from drretail.data_ingest.raw.sources import ABOUT_MADE_UP
    from drretail.data_ingest.synth import write_shop

    raw, world = folder / "raw", folder / "world"
    if not (raw / ABOUT_MADE_UP).exists():
        write_shop(raw, products=shop.products, reviews=shop.reviews, seed=shop.seed, progress=progress)
    if not (world / "CURRENT").exists():
        options = IngestSettings(seed=shop.seed, min_interactions=shop.min_interactions, vary_orders=True)
        ingest_files([raw], world, options, progress)
    return world


def copy_demo(folder: Path, cache_dir: Path) -> Path:
    """The demo shop's world in ``folder``, from the user's cache, where it is made once. What an earlier start left is
    used. Raises what ``build_shop`` raises.
    """
    from drretail.env.folder import check_world  # loads what reads an index

    if (folder / "world" / "CURRENT").exists():
        return folder / "world"
    with suppress(OSError, UserError):  # a cache that can't be written to, or is damaged
        home = ensure_world("demo", cache_dir, Progress()).parent
        for part in () if check_world(home / "world") else ("raw", "world"):
            if not (folder / part).exists():
                with made_whole(folder / part) as staging:
                    copytree(home / part, staging, dirs_exist_ok=True)
    return build_shop(folder, Progress())


def _home(name: str, cache_dir: Path) -> Path:
    made_of = sha256_of([TABLES, astuple(SHOPS[name])])[:4]
    form = f"format{FORMAT}-recipe{RECIPE_VERSION}-english{ENGLISH.version[-1]}-{made_of}"
    return cache_dir / f"{name}-{form}"


def ensure_world(name: str, cache_dir: Path, progress: Progress) -> Path:
    """The named shop's world in the user's cache, built at the first call. Two processes may call this at once."""
    home = _home(name, cache_dir)
    world = home / "world"
    if (world / "CURRENT").exists():
        return world
    progress.note(f"Building the {name} shop, once.")
    with made_whole(home, is_shared=True) as staging:
        if not world.exists():  # another process may have made it meanwhile
            build_shop(staging, progress, SHOPS[name])
    return world

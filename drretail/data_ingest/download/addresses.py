"""Which files a category has, and the addresses of each."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from drretail.data_ingest.plan import PRESETS, STEMS, Preset, in_preset_order
from drretail.errors import UnknownName, UserError
from drretail.records.base import Record


class Host(Record):
    """A copy of the dataset."""

    base: str
    meta: str
    reviews: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of the dataset, with the addresses to try, best first."""

    category: str
    urls: tuple[str, ...]


def hosts() -> dict[str, Host]:
    """The hosts of addresses.toml by name, in its order."""
    text = resources.files("drretail.data_ingest.download").joinpath("addresses.toml").read_text(encoding="utf-8")
    return {name: Host.model_validate(host) for name, host in tomllib.loads(text).items()}


def wanted_files(categories: Sequence[str], preset: Preset | None, mirror: str | None = None) -> list[Wanted]:
    """Product and review file of each category, in preset order; UserError where none or an unknown one is named."""
    if unknown := [name for name in categories if name not in STEMS]:
        raise UnknownName("category", unknown[0], STEMS)
    names = in_preset_order([*categories, *(PRESETS[preset] if preset else ())])
    if not names:
        raise UserError("Name categories, such as Pet_Supplies, or a preset: --preset paper.")
    chosen = chosen_hosts(mirror)
    return [
        Wanted(name, tuple(host.base + getattr(host, kind).format(category=name) for host in chosen))
        for name in names
        for kind in ("meta", "reviews")
    ]


def chosen_hosts(mirror: str | None) -> Iterable[Host]:
    """All hosts; or the one of that name, or a copy of the first one's tree at that address."""
    known = hosts()
    if mirror is None:
        return list(known.values())
    if mirror in known:
        return [known[mirror]]
    if not mirror.startswith(("http://", "https://")):
        raise UserError(
            f"There is no mirror {mirror!r}: give {', '.join(known)}, or an address that begins with https://."
        )
    first = next(iter(known.values()))
    return [first.model_copy(update={"base": mirror.rstrip("/") + "/"})]

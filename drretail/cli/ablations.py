"""Which tools a run does without, so that it shows what they are worth."""

from typing import Any

from drretail.errors import UnknownName

PRESETS = {
    "closed_book": ("calculator", "catalog", "user", "web"),
    "web_only": ("calculator", "catalog", "user"),
    "tools_only": ("web",),
}
"""By name, the families of tools that are left out."""


def system_options(
    without: list[str] | None, preset: str | None, *, scope_to_user: bool, redact: bool = False
) -> dict[str, Any]:
    """What of a system's options is not the default, from the flags. Raises UnknownName for a wrong name."""
    from drretail.tools.registry import FAMILIES

    if preset is not None and preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    families = {*(without or ()), *(PRESETS[preset] if preset is not None else ())}
    for family in sorted(families):
        if family not in FAMILIES:
            raise UnknownName("family of tools", family, FAMILIES)
    options: dict[str, Any] = {"without": sorted(families)} if families else {}
    flags = {"scope_to_user": scope_to_user, "redact": redact}
    return options | {name: True for name, is_on in flags.items() if is_on}

"""``doctor``: what works on this machine, and how to fix the rest."""

import os
from typing import TYPE_CHECKING

from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.doctor import DoctorOptions
from drretail.api.options.shared import texts_in
from drretail.api.settings import Settings, read_settings
from drretail.api.worlds import server_settings
from drretail.llm.registry import check_spec
from drretail.progress import busy
from drretail.records.tables.result import Result
from drretail.records.tables.table import Table, table_of

if TYPE_CHECKING:
    from drretail.api.doctor.machine import Sign

MARKS = {"ok": "✓", "absent": "–", "broken": "✗"}


@accepts(DoctorOptions)
def check_machine(options: DoctorOptions) -> "Result[list[Sign]]":
    """What was found on this machine. Raises UserError for an unknown model."""
    from drretail.api.doctor.machine import broken

    models = texts_in(options.model)
    for spec in models:
        check_spec(spec)
    settings = read_settings()
    opener = Opener(settings, options.base_url)
    with busy("checking this machine"):
        signs = _signs(models, settings, opener)
    wrong = broken(signs)
    document = {"ok": not wrong, "signs": [sign.model_dump(mode="json", exclude_none=True) for sign in signs]}
    rows = [(MARKS[sign.state], sign.what, sign.found) for sign in signs]
    parts: list[Table | str] = [table_of("", ["", "what", "found"], rows)]
    lacks = [sign for sign in signs if sign.state != "ok"]
    if lacks:
        rows = [(MARKS[sign.state], sign.what, sign.prevents or "", sign.mend or "") for sign in lacks]
        parts.append(table_of("What is lacking", ["", "what", "without it, no", "to mend it"], rows))
    parts.append("Everything that is needed works." if not wrong else f"{len(wrong)} to mend (✗).")
    return Result(signs, document, parts, left=len(wrong))


def _signs(specs: list[str], settings: Settings, opener: Opener) -> "list[Sign]":
    from drretail.api.doctor.machine import examine, examine_model, examine_servers

    set_by_hand = {"mongo_is_set": settings.mongo_url is not None, "es_is_set": settings.es_url is not None}
    return [
        *examine(os.environ, [".", str(settings.cache_dir)]),
        *examine_servers(server_settings(), **set_by_hand),
        *[examine_model(spec, opener) for spec in dict.fromkeys(specs)],
    ]

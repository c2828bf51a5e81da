"""scores.json as it was written last."""

from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_json
from drretail.records.score import Scores


def read_scores(experiment: Path) -> Scores | None:
    """The scores of an experiment folder, None where none were made yet; UserError for those of another version."""
    path = experiment / "scores.json"
    if not path.exists():
        return None
    try:
        return Scores.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: run drretail score again.") from problem

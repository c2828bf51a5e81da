"""What reports on a query are held to by a judge: dimensions, checklists and rubrics, made once and frozen."""

from drretail.records.base import Document, Record, sha256_of


class Criterion(Record):
    """One thing that a report is looked at for."""

    text: str
    explanation: str = ""
    weight: float = 1.0
    """Its share of its group; a rubric's may be below nought, for what a report ought not to do."""
    kind: str = ""
    """What the family sorts it by: the category of a requirement, the axis of a rubric, how it is answered."""


class CriteriaGroup(Record):
    """Criteria that make one number together, such as those of a dimension."""

    name: str
    weight: float = 1.0
    """Its share of all groups it is summed with."""
    criteria: tuple[Criterion, ...] = ()


class Criteria(Document):
    """exp/rubrics/<family>/<query_id>.json: one for all systems and judges, to be read and edited by people."""

    family: str
    query_id: str
    groups: tuple[CriteriaGroup, ...]
    made_by: str = "a person"
    """"provider:model", "code", or "a person"."""
    prompt_hash: str = ""
    """Of the prompt that asked for them; empty where nobody was asked."""

    @property
    def hash(self) -> str:
        """Of what they ask for, in eight digits: verdicts by other criteria have another one."""
        return sha256_of([group.model_dump(mode="json") for group in self.groups])[:8]

    def group(self, name: str) -> CriteriaGroup | None:
        """The group of that name; None where there is none."""
        return next((group for group in self.groups if group.name == name), None)

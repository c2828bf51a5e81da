"""A condition: whether the shopper writes in capitals."""

from drretail import Condition
from drretail.records.query import Query, Task


def shouted(task: Task, query: Query, value: str) -> Task:
    """The task in capitals."""
    return task.model_copy(update={"text": task.text.upper()})


CAPITALS = Condition(
    name="capitals", about="whether the shopper writes in capitals", values=("no", "yes"), task=shouted
)

"""A condition of your own: shoppers who are in a hurry.

cd examples && drretail run --queries ../q.jsonl --to exp --vary hurry_condition:HURRY=no,yes
"""

from drretail import Condition
from drretail.records.query import Query, Task


def hurried(task: Task, query: Query, value: str) -> Task:
    """The task under the value "yes", the one that is not the default."""
    return task.model_copy(update={"text": f"{task.text} I am in a hurry: please answer in three sentences."})


HURRY = Condition(name="hurry", about="whether the shopper is in a hurry", values=("no", "yes"), task=hurried)

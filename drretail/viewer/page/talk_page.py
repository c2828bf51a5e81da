"""A run's conversation as a page of its own, beside the report in the live view."""

from markupsafe import Markup

from drretail.viewer.conversation import read_conversation
from drretail.viewer.experiment import ExperimentView, Question, RunView
from drretail.viewer.page.frame import template, whole_page
from drretail.viewer.page.links import Links
from drretail.viewer.page.question import Once


def conversation_page(view: ExperimentView, question: Question, run: RunView, links: Links) -> str:
    """Everything that one run's models were sent and answered. Raises UserError for a journal that can't be read."""
    talks = [] if run.run is None else read_conversation(view.folder, run.run)
    html = template("conversation.html.jinja").render(view=run, talks=talks, once=Once(f"{run.anchor}t"))
    home = links.question(question)
    nav = [(links.index, view.title), (home, "The question and its answers"), (f"{home}#{run.anchor}", "The run")]
    heading = f"The conversation of {run.subject.label}"
    escaped = Markup(html)  # noqa: S704 — by its template
    section = Markup('<section id="{}-talk">{}</section>').format(run.anchor, escaped)
    return whole_page(f"{run.subject.run_id} – {view.title}", heading, question.query.text, nav, [section])

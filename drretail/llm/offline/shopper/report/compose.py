"""The whole report, section by section."""

from drretail.llm.offline.shopper.lookups import unmade
from drretail.llm.offline.shopper.report.advice import advice_sections
from drretail.llm.offline.shopper.report.answer import short_answer, title
from drretail.llm.offline.shopper.report.gaps import gaps_section
from drretail.llm.offline.shopper.report.naming import Names
from drretail.llm.offline.shopper.report.person import person_section
from drretail.llm.offline.shopper.report.picks import pick_sections
from drretail.llm.offline.shopper.report.table import table_section
from drretail.llm.offline.shopper.report.weighed import weighed_section
from drretail.llm.offline.shopper.study import Study


def write_report(study: Study) -> str:
    """The report in markdown, every fact cited by the evidence id that a tool result gave for it."""
    names = Names(_in_order_of_mention(study))
    blocks = [
        title(study),
        *_stopped(study),
        *short_answer(study, names),
        *person_section(study),
        *pick_sections(study, names),
        *advice_sections(study),
        *table_section(study, names),
        *weighed_section(study, names),
        *gaps_section(study, names),
    ]
    return "\n\n".join(block for block in blocks if block)


def _in_order_of_mention(study: Study):
    """Picks first, so that they get the shortest names."""
    yield from (pick.product for pick in study.basket.picks if pick)
    for shelf in study.shelves:
        yield from (option.product for option in shelf.rivals)
        yield from (ruled.product for ruled in shelf.ruled_out)


def _stopped(study: Study) -> list[str]:
    reason = study.situation.stop
    if reason is None:
        return []
    missing = unmade(study)
    ahead = f" I would still have {missing}." if missing else ""
    told = " ".join(reason.split()).rstrip(".")
    return [f"*I was stopped early ({told[0].lower() + told[1:] if told else 'no reason given'}).{ahead}*"]

"""What the records do not say of what was asked, and where that was looked for."""

from drretail.llm.offline.shopper.choosing import Option


def where_not(pick: Option, *, relayed: bool) -> str:
    """Where a demand was looked for in vain: no more than what was read."""
    product = pick.product
    if not product.opened:
        return "I have not opened its record, and its title does not say"
    if relayed:
        return "Nothing that was noted of it says"
    return "Neither its title nor its listing says" if product.record.get("features") else "Its record does not say"

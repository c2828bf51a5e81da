"""What of a text is personal and replaced, and what is nobody's."""

from drretail.reports.text.personal_data import People, personal_data
from tests.goods import PROFILE, USER

PEOPLE = People((PROFILE,), frozenset({USER}), frozenset({"0526194960"}))


def test_what_is_personal_is_found_in_whichever_form_and_honest_queries_are_nobodys() -> None:
    mail, phone = PROFILE.email, PROFILE.phone_number
    name, street = f"{PROFILE.first_name} {PROFILE.last_name}", PROFILE.address.address1
    before, after = mail.split("@")
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    digits = phone.replace("-", "")
    forms = {
        "plain": mail, "capitals": mail.upper(), "escaped": mail.replace("@", "%40"),
        "twice": mail.replace("@", "%2540"),
        "all escaped": "".join(f"%{ord(one):02X}" for one in mail), "entity": mail.replace("@", "&#64;"),
        "hexadecimal entity": mail.replace("@", "&#x40;"), "named entity": mail.replace("@", "&commat;"),
        "all entities": "".join(f"&#{ord(one)};" for one in mail), "JSON": mail.replace("@", "\\u0040"),
        "string": mail.replace("@", "\\x40"), "full width": mail.translate(wide), "wide sign": f"{before}＠{after}",
        "at": f"{before} at {after}", "at and dot": f"{before} at {after.replace('.', ' dot ')}",
        "brackets": f"{before} [at] {after.replace('.', ' [dot] ')}", "parentheses": f"{before}(at){after}",
        "spaced sign": f"{before} @ {after.replace('.', ' . ')}", "spaced letters": " ".join(mail),
        "invisible": "\u200b".join(mail), "underscores": f"{before}_at_{after}", "tagged": f"{before}+shop@{after}",
        "another's": "zoe%40mail.example", "another's, spelt": "zoe at mail dot com",
        "wide phone": phone.translate(wide),
        "dotted phone": f"{digits[-10:-7]}.{digits[-7:-4]}.{digits[-4:]}", "escaped name": name.replace(" ", "%20"),
        "name as one": name.replace(" ", "+"), "escaped street": street.replace(" ", "%20"),
    }  # fmt: skip
    for form, written in forms.items():
        text = f"best bird feeder {written} under $30"
        places = personal_data(text, PEOPLE)
        assert places, form
        assert {*range(17, 17 + len(written))} >= {at for place in places for at in range(place.start, place.end)}, form
    for honest in ("price at amazon.com", "deals @ home", "100%25 cotton & 5% off", "a dot matrix", "3/4 at 12.5"):
        assert personal_data(honest, PEOPLE) == []

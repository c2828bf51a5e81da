"""What of a text is personal and replaced, and what is nobody's."""

from drretail.addons.assistants.redaction import Redactor

SAID = {
    "The lamp is $1 299.00, in stock since 01.03.2024 10:15.": "",
    "P:0123456789 weighs 10 000 000 g; EAN 4006381333931, tracking 00340434161094042557.": "",
    "[O:0098110774] [P:B0TEST0001/0644467227-2] [U:orders@0644467227] F:0644467227.pdf, order #0098110774": "",
    '{"order_id": "0098110774"} {\\"order_ids\\": [\\"0644467227\\", \\"0098110774\\"]}': "",
    "Order a lamp: 030 1234567, ring 0098110774, O:ann@mail.example": "Order a lamp: [phone], ring [phone], O:[e-mail]",
    "2 TB External Hard Drive, 20 place mats, Dichtring 20 mm, 3 Stück": "",
    "A 4 Wheel Drive car. Call us about order 10023456, or a phone case 4006381333931.": "",
    "Call me at 4155550132.": "Call me at [phone].",
    "Meine Handynummer ist 15112345678": "Meine Handynummer ist [phone]",
    "I live in Lange Straße, Berlin.": "I live in [street], Berlin.",
    "My address is Old Mill Road, before 4 Willow Lane.": "My address is [street], before [street].",
    "J'habite rue de la Paix": "J'habite [street]",
    "Tom here, and Müller. A tom tom drum for Tom's friend.": (
        "[name] here, and [name]. A tom tom drum for [name]'s friend."
    ),
    "我是李小龙，要小龙虾。 김철수님": "我是[name]，要小龙虾。 [name]님",
    "Write to j.o'neil@mail.example, or 'ann@mail.example'.": "Write to [e-mail], or '[e-mail]'.",
    "See https://a.example/u/ann@mail.example/2 [1].": "See https://a.example/u/%5Be-mail%5D/2 [1].",
    "Lange Gasse 7a, Wien; in der Gasse 3": "[street], Wien; in der Gasse 3",
}


def test_numbers_streets_and_names_are_somebodys_where_form_words_or_the_list_say_so() -> None:
    redactor = Redactor(("Tom", "Müller", "Ann Smith", "李 小龙", "김철수"))
    assert {said: redactor.row(said) for said in SAID} == {said: without or said for said, without in SAID.items()}


def test_a_listed_name_is_found_however_its_letters_are_written() -> None:
    escaped = ("M%C3%BCller", "M%c3%bcller", "M%25C3%25BCller", "Mu%CC%88ller", "M=C3=BCller")
    for name in (*escaped, "Mu\u0308ller", "M&uuml;ller", "M&#252;ller"):
        assert Redactor(names=("Rosa Müller",)).text(f"to=Rosa {name}") == "to=[name]", name


def test_names_of_fields_become_pseudonyms_of_the_key_and_numbers_of_orders_stay() -> None:
    by_field = [Redactor(key="a").row({name: "ann@a.example"})[name] for name in ("user", "customer", "user_id")]
    assert len({*by_field}) == 1
    row = {"ann@a.example": {"order_ids": ["0098110774"], "order": "0098110774"}}
    first, second = (Redactor(key=key).row(row) for key in "ab")
    assert ([*first.values()], first == second) == ([*row.values()], False)


def test_fields_in_lists_in_json_and_within_an_order_are_somebodys_and_those_of_products_are_not() -> None:
    order = '{"shipping_address": ["Elm Court 5"], "addresses": [{"line1": "Elm Court 5"}], "billing_phone": "123456"}'
    row = {"order": order, "customer": {"firstName": ["李明"], "phones": [12345678]}, "question": "我是李明"}
    row |= {"telephone": "5550134 (my office)", "user": {"name": "Guest 24"}, "text": "I want 24 pots."}
    row |= {"buyer": '{"name": "Rosa"}', "lamp": {"name": "Oak lamp", "phone": 4155550132, "address": "https://a.b"}}
    case = {"product": {"name": "Oak case", "phones": ["iPhone 15"], "phone": "Pixel 8", "street_value": "5 Elm"}}
    assert Redactor().row(row | case) == {
        "order": '{"shipping_address": ["[street]"], "addresses": [{"line1": "[street]"}], "billing_phone": "[phone]"}',
        "customer": {"firstName": ["[name]"], "phones": ["[phone]"]},
        "question": "我是[name]",
        "telephone": "[phone]",
        "user": {"name": "[name]"},
        "text": "I want 24 pots.",
        "buyer": '{"name": "[name]"}',
        "lamp": {"name": "Oak lamp", "phone": "[phone]", "address": "https://a.b"},
        **case,
    }

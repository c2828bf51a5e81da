"""Personal data of people who talk to an assistant: none is left in files, requests, pages or exports."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.addons.imports.material import read_text
from drretail.cli.app import app
from tests.addons.imports.foreign import jsonl, text
from tests.cli.commands import refused_by
from tests.llm.provider import Provider

# Made-up people: a name in full, a part of it, an e-mail address, telephone numbers, an IBAN, a card, streets.
ENGLISH = (
    "Orla Penhaligon", "Penhaligon", "orla.p@mail.example", "+44 20 7946 0018", "(415) 555-0132",
    "GB82 WEST 1234 5698 7654 32", "4111 1111 1111 1111", "12 Old Mill Road", "7 Elm Street",
)  # fmt: skip
GERMAN = (
    "Käthe Brömmelkamp", "Brömmelkamp", "kaethe (at) post.example", "+49 170 5550123", "030 / 5550 199",
    "DE89370400440532013000", "5500-0000-0000-0004", "Lange Straße 12a", "Tannenweg 7",
)  # fmt: skip
FRENCH = (
    "Maëlys Quéméneur", "Quéméneur", "maelys@boite.example", "+33 6 12 34 56 78", "06.12.34.56.79",
    "FR14 2004 1010 0505 0001 3M02 606", "3782 822463 10005", "12 bis rue de la Paix", "5, avenue Victor-Hugo",
)  # fmt: skip
SAID = {
    "en": "I am {0}. Write to {2}, or call {3} or {4}. Account {5}, card {6}. I live at {7}, before at {8}.",
    "de": "Ich bin {0}. Schreiben Sie an {2}, Telefon {3} oder {4}. Konto {5}, Karte {6}. Ich wohne {7}, früher {8}.",
    "fr": "Je suis {0}. Écrivez à {2}, ou appelez le {3} ou {4}. Compte {5}, carte {6}. J'habite {7}, avant {8}.",
}
PEOPLE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH}


def invoked(*args: object) -> str:
    ended = CliRunner().invoke(app, [str(each) for each in args])
    assert ended.exit_code in (0, 3), (ended.output, ended.exception)
    return ended.output


def held(folder: Path) -> str:
    """All texts of a folder's files and their names, JSON's escapes resolved. Parquet holds the same rows as CSV."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".parquet"]
    texts = [str(path.relative_to(folder)) for path in found] + [read_text(path) for path in found]
    return re.sub(r"\\u([0-9a-f]{4})", lambda escape: chr(int(escape[1], 16)), "\n".join(texts))


def hidden(words: str) -> str:
    """The same to a reader, with a character of no width in its middle."""
    return f"{words[:4]}\u200b{words[4:]}"


@pytest.mark.parametrize("with_user", [False, True])
@pytest.mark.parametrize("language", PEOPLE)
def test_nothing_personal_of_a_log_is_kept_sent_or_shown(language: str, with_user: bool, tmp_path: Path) -> None:
    person = PEOPLE[language]
    first, *_ = person[0].split()
    orders = [{"customer": {"name": person[0], "email": person[2], "phone": person[3], "address": person[7]}}]
    call = {"id": "c1", "function": {"name": "orders", "arguments": json.dumps({"email": person[2]})}}
    asked = SAID[language].format(*person)
    row = {
        "conversation_id": person[2],
        "messages": [
            {"role": "user", "content": f"{asked} {SAID[language].format(*map(hidden, person))}"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": json.dumps(orders)},
            {"role": "assistant", "content": f"{first}, the Oak lamp costs $39.90. {asked} Lamp 8712345678906."},
            {"role": "user", "content": f"And to {person[8]}?"},
            {"role": "assistant", "content": f"Yes, {person[1]}: {person[8]}."},
        ],
    }
    if with_user:
        row["user"], row["customer_name"] = person[2], person[0]
    log = jsonl(tmp_path / "log.jsonl", [row])
    names = text(tmp_path / "names.txt", f"{person[0]}\n")
    exp = tmp_path / "exp"
    invoked("import", "chat", log, "--to", tmp_path / "plain")
    invoked("import", "chat", log, "--to", exp, "--redact", *([] if with_user else ["--names", names]))
    with Provider() as provider:
        judge = ("--judge", "anthropic:claude-sonnet-5", "--base-url", provider.url)
        invoked("score", exp, "--metrics", "faithfulness,quality,false_statements", *judge)
        sent = json.dumps([each.body for each in provider.seen], ensure_ascii=False)
    invoked("report", exp)
    invoked("score", tmp_path / "plain")
    for form in ("chat", "csv", "dataset", "statements"):
        to = tmp_path / "out" / form
        to.parent.mkdir(exist_ok=True)
        invoked("export", tmp_path / "plain", "--format", form, "--redact", "--names", names, "--to", to)
    assert provider.seen
    for place, found in {"files": held(exp), "requests": sent, "exports": held(tmp_path / "out")}.items():
        assert "39.90" in found, place
        assert "8712345678906" in found, "the number of a product stays"
        for each in (*person, *map(hidden, person), first, "\u200b"):
            assert each not in found, (place, each)
        assert place == "requests" or "[IBAN]" in found
    run = json.loads(next(exp.glob("runs/*/*/run.json")).read_text())
    assert [run["report"][turn["start"] : turn["end"]][-10:] for turn in run["turns"]][1].endswith("[street].")


def test_pages_that_are_given_are_redacted_as_the_log_is(tmp_path: Path) -> None:
    url = "https://shop.example/team"
    about = "We repair lamps of every maker, and answer all letters within a day. " * 9
    page = f"<html><body><h1>Orla Penhaligon</h1><p>{about}Write to <b>orla</b>@mail.example.</p></body></html>"
    text(tmp_path / "pages" / "team.html", page)
    jsonl(tmp_path / "pages" / "index.jsonl", [{"url": url, "file": "team.html"}])
    log = jsonl(tmp_path / "log.jsonl", [{"question": "Who?", "answer": f"Orla, see {url}"}])
    names = text(tmp_path / "names.txt", "Orla Penhaligon\n")
    given = ("--pages", tmp_path / "pages", "--redact", "--names", names)
    invoked("import", "chat", log, "--to", tmp_path / "exp", *given)
    pages = held(tmp_path / "exp" / "sources")
    assert "[e-mail]" in pages
    assert "Penhaligon" not in pages
    assert "mail.example" not in pages


def test_a_conversation_is_forgotten_and_verify_says_so(tmp_path: Path) -> None:
    exp = tmp_path / "exp"
    words = {"c-1": "I am Orla Penhaligon. A lamp?", "c-2": "A chair?", "log": "A table?"}
    rows = [{"conversation_id": name, "question": asked, "answer": "$5"} for name, asked in words.items()]
    invoked("import", "chat", jsonl(tmp_path / "log.jsonl", rows), "--to", exp)
    invoked("score", exp)
    invoked("report", exp)
    assert "Penhaligon" in held(exp)
    assert "nothing of 'c-3'" in refused_by("forget", str(exp), "--conversation", "c-3")
    assert "--user U or --conversation C" in refused_by("forget", str(exp))
    gone = json.loads(invoked("forget", exp, "--conversation", "c-1", "--json"))
    assert (gone["queries"], gone["runs"], gone["still_named"]) == (["c-1"], 1, [])
    left = held(exp)
    assert "Penhaligon" not in left
    assert "c-1" not in left
    assert "A chair?" in left
    invoked("forget", exp, "--conversation", "log")  # the system has the same name
    invoked("score", exp)
    said = " ".join(invoked("verify", exp).split())
    assert "forgotten: 2 queries" in said
    assert "Nothing fails" in said

"""Documents and people that are brought in. Tests addons/assistants/forget.py and material.py."""

import importlib.util
import json
import re
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.addons.imports.documents import document_text
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import read_text
from drretail.addons.publications.agents.dr3.agent import UserFile
from drretail.cli.app import app
from drretail.errors import UserError, install_line
from drretail.experiments.experiment import read_runs
from drretail.reports.citations import find_citations
from tests.addons.imports.foreign import jsonl, text
from tests.build import known
from tests.cli.commands import refused_by
from tests.llm.provider import Provider

installed = pytest.mark.skipif(importlib.util.find_spec("markitdown") is None, reason="needs markitdown")
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(path: Path, *paragraphs: str) -> Path:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
    return path


def pdf(path: Path, text: str) -> Path:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    numbered = b"".join(b"%d 0 obj\n%s\nendobj\n" % each for each in enumerate(objects, 1))
    path.write_bytes(b"%%PDF-1.4\n%strailer\n<< /Size 5 /Root 1 0 R >>\n%%%%EOF\n" % numbered)
    return path


@installed
def test_reports_come_as_word_with_raised_numbers_and_as_pdf(tmp_path: Path) -> None:
    raised = "</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>{}</w:t></w:r><w:r><w:t>"
    stated = f"It fills 20 m{raised.format(2)} in an hour.{raised.format(1)}"
    word(tmp_path / "one.docx", stated, "Sources", "[1] https://a.example/kettle")
    pdf(tmp_path / "two.pdf", "The lamp costs $9.")
    for name in ("one", "two"):
        text(tmp_path / f"{name}.q", f"Which {name}?")
    texts = {task: report.text for (_, task), report in load_format("markdown").read(tmp_path).reports.items()}
    assert texts["one"].startswith("It fills 20 m<sup>2</sup> in an hour.<sup>1</sup>")
    assert "https://a.example/kettle" in texts["one"]
    assert [one.marker for one in find_citations(texts["one"], None)] == ["<sup>1</sup>"], "and no power"
    assert "The lamp costs $9." in texts["two"]


@installed
def test_a_file_that_is_cut_off_or_not_what_it_is_called_is_refused_in_one_sentence(tmp_path: Path) -> None:
    whole = pdf(tmp_path / "x.pdf", "The lamp costs $9.")
    whole.write_bytes(whole.read_bytes()[:60])
    with pytest.raises(UserError) as refused:
        document_text(whole)
    assert str(refused.value) == f"{whole} cannot be read as pdf: it is damaged or cut off."
    for data in (b"no archive", b"PK no archive either"):
        (tmp_path / "x.docx").write_bytes(data)
        with pytest.raises(UserError, match=r"x\.docx cannot be read as docx"):
            document_text(tmp_path / "x.docx")


def test_without_the_extra_one_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markitdown", None)
    with pytest.raises(UserError, match=re.escape(f"not installed: {install_line('documents')}")):
        document_text(word(tmp_path / "a.docx", "Text."))
    assert UserFile(tmp_path / "a.docx").text is None


def invoked(*args: object) -> str:
    ended = CliRunner().invoke(app, [str(each) for each in args])
    assert ended.exit_code in (0, 3), (ended.output, ended.exception)
    return ended.output


def held(folder: Path) -> str:
    """All texts of a folder's files and their names, JSON's escapes resolved."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    texts = [str(path.relative_to(folder)) for path in found] + [read_text(path) for path in found]
    return re.sub(r"\\u([0-9a-f]{4})", lambda escape: chr(int(escape[1], 16)), "\n".join(texts))


def hidden(words: str) -> str:
    """The same to a reader, with a character of no width in its middle."""
    return f"{words[:4]}\u200b{words[4:]}"


# Made-up people: a name in full, a part of it, an e-mail address, telephone numbers, an IBAN, a card, streets.
PEOPLE = [
    (
        "Orla Penhaligon", "Penhaligon", "orla.p@mail.example", "+44 20 7946 0018", "(415) 555-0132",
        "GB82 WEST 1234 5698 7654 32", "4111 1111 1111 1111", "12 Old Mill Road", "7 Elm Street",
    ),
    (
        "Käthe Brömmelkamp", "Brömmelkamp", "kaethe (at) post.example", "+49 170 5550123", "030 / 5550 199",
        "DE89370400440532013000", "5500-0000-0000-0004", "Lange Straße 12a", "Tannenweg 7",
    ),
]  # fmt: skip
SAID = "I am {0}. Write to {2}, or call {3} or {4}. Account {5}, card {6}. I live at {7}, before at {8}."


@pytest.mark.parametrize(("person", "with_user"), [(PEOPLE[0], True), (PEOPLE[1], False)], ids=["user", "names"])
def test_nothing_personal_of_a_log_is_kept_sent_or_shown(
    person: tuple[str, ...], with_user: bool, tmp_path: Path
) -> None:
    first, *_ = person[0].split()
    orders = [{"customer": {"name": person[0], "email": person[2], "phone": person[3], "address": person[7]}}]
    call = {"id": "c1", "function": {"name": "orders", "arguments": json.dumps({"email": person[2]})}}
    asked = SAID.format(*person)
    row = {
        "conversation_id": person[2],
        "messages": [
            {"role": "user", "content": f"{asked} {SAID.format(*map(hidden, person))}"},
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
    for form in ("chat", "csv", "statements"):
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
    run = next(read_runs(exp))
    assert [known(run.report)[turn.start : turn.end][-10:] for turn in run.turns][1].endswith("[street].")


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


def test_a_person_has_one_pseudonym_in_all_imports_and_is_forgotten_by_the_address(tmp_path: Path) -> None:
    exp = tmp_path / "exp"
    for name, users in {"one": ("ann", "bob"), "two": ("cid", "ann")}.items():
        rows = [{"conversation_id": f"{name}-{u}@a.example", "user_id": f"{u}@a.example"} for u in users]
        asked = [row | {"question": f"For {name}?", "answer": "$5"} for row in rows]
        invoked("import", "chat", jsonl(tmp_path / f"{name}.jsonl", asked), "--to", exp, "--redact")
    users = [run.user_id for run in read_runs(exp)]
    assert (len(users), len(set(users)), "a.example" in held(exp)) == (4, 3, False)
    assert (tmp_path / "exp.redact.key").read_text() not in held(exp)
    gone = json.loads(invoked("forget", exp, "--user", "ann@a.example", "--json"))
    assert (gone["runs"], gone["still_named"]) == (2, [])


def test_a_conversation_is_forgotten(tmp_path: Path) -> None:
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
    assert "Nothing differs" in invoked("verify", exp)

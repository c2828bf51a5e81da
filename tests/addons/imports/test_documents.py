"""PDF and Word files as reports and as users' own files; where markitdown is not installed, what to install."""

import importlib.util
import sys
import zipfile
from pathlib import Path

import pytest

from drretail.addons.imports.formats import load_format
from drretail.agents.user_files import UserFile
from drretail.errors import UserError
from drretail.grounding.report.citations import find_citations
from drretail.parsing import document_text

installed = pytest.mark.skipif(importlib.util.find_spec("markitdown") is None, reason="needs markitdown")
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def word(path: Path, *paragraphs: str) -> Path:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", TYPES)
        file.writestr("_rels/.rels", RELATIONS)
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
def test_reports_come_as_word_and_as_pdf(tmp_path: Path) -> None:
    word(tmp_path / "one.docx", "The kettle costs $20 [1].", "Sources", "[1] https://a.example/kettle")
    pdf(tmp_path / "two.pdf", "The lamp costs $9.")
    for name in ("one", "two"):
        (tmp_path / f"{name}.q").write_text(f"Which {name}?", encoding="utf-8")
    material = load_format("markdown").read(tmp_path)
    texts = {task: report.text for (_, task), report in material.reports.items()}
    assert texts["one"].startswith("The kettle costs $20 [1].\n")
    assert "https://a.example/kettle" in texts["one"]
    assert "The lamp costs $9." in texts["two"]


@installed
def test_raised_numbers_of_a_word_file_are_citations_and_powers(tmp_path: Path) -> None:
    raised = "</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>{}</w:t></w:r><w:r><w:t>"
    stated = f"It fills 20 m{raised.format(2)} in an hour.{raised.format(1)}"
    path = word(tmp_path / "one.docx", stated, "Sources", "[1] https://a.example/kettle")
    assert document_text(path).startswith("It fills 20 m<sup>2</sup> in an hour.<sup>1</sup>")
    found = find_citations(document_text(path), None)
    assert [one.marker for one in found] == ["<sup>1</sup>"]


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
    with pytest.raises(UserError, match=r"not installed: pip install 'markitdown\[docx,pdf,pptx,xlsx\]'"):
        document_text(word(tmp_path / "a.docx", "Text."))
    assert UserFile(tmp_path / "a.docx").text is None

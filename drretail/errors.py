"""All errors of drretail, split by who must act on them.

DrretailError
├── UserError           the person at the terminal: printed as one sentence, exit code 2
│   ├── UnknownName     a name that does not exist; lists the nearest names that do
│   └── CommandStopped  a key, an account or the shop would fail every further run: the command ends
├── ToolError           the model that called the tool: becomes {"error": {…}} in the tool's result
│   └── NotFound        an id that the shop does not hold
└── ModelError          nobody: the provider failed or the budget ended; the run is recorded as failed
"""

import errno
import json
import os
import re
import shlex
import sysconfig
import traceback
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, quote_plus, unquote

ToolErrorType = Literal["invalid_argument", "not_found", "forbidden", "unavailable", "timeout", "unknown_tool", "limit"]
# Words of a name. Names share shorter words by chance.
_WORD = re.compile(r"[^\W_]{3,}")
_FILE_ERRORS = {
    errno.ENOENT: "does not exist: check the name",
    errno.EISDIR: "is a folder: name a file",
    errno.ENOTDIR: "is a file: name a folder",
    errno.EEXIST: "exists already: name another place",
    errno.EACCES: "is closed to this user: change its permissions, or name another place",
    errno.EPERM: "is closed to this user: change its permissions, or name another place",
    errno.EROFS: "cannot be written, the disk is read-only: name another place",
    errno.ENOTEMPTY: "is not empty: name another place",
    errno.ENAMETOOLONG: "is longer than a name may be: name another place",
    errno.ENOSPC: "cannot be written, the disk is full: free some space and run the same command again",
}
MOST_NAMES = 10
"""The most names that a message offers where there may be thousands."""
LONGEST_NAME = 80
"""Characters that a message shows of a name from outside."""
LONGEST_PATH = 400
"""Characters that a message shows of a path: more than of a name, since the user has to find the file."""
LONGEST_SENTENCE = 2000
"""Characters of an error on a terminal: a library may put a whole document into its message."""
_SHORTEST_IN_BASE64 = 6
"""Characters: shorter ones stand in ordinary words."""
_URL_SAFE = str.maketrans("+/", "-_")
LONGEST_TRACEBACK = 20_000
"""Characters: some two hundred lines, of an agent of the user's own."""
ModelErrorKind = Literal[
    "model",
    "timeout",
    "refusal",
    "unusable",
    "context_overflow",
    "budget",
    "agent",
    "tool",
    "no_research",
    "no_turn_before",
    "no_report",
    "unreadable",
]


class DrretailError(Exception):
    """The root of every error that drretail raises on purpose."""


class UserError(DrretailError):
    """Something the user must fix; the message says what happened, where, and what to do."""


class UnknownName(UserError):
    """There is no agent, tool, category, provider … of this name. With ``names_all``, every known name is offered.

    ``own`` is how the user's own is named, and said where no known name is near.
    """

    def __init__(
        self, what: str, name: str, names: Iterable[str], *, names_all: bool = False, own_name: str | None = None
    ) -> None:
        self.nearest = [] if names_all else nearest_names(name, names)
        offered = suggestion(self.nearest, names, len([*names]) if names_all else MOST_NAMES)
        hint = f" Your own is named {own_name}." if own_name is not None and not self.nearest else ""
        super().__init__(f"There is no {what} {quoted(name)}. {offered}{hint}")


def check_known(what: str, known: Collection[str], *names: str) -> None:
    """Raises UnknownName for the first name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise UnknownName(what, name, known)


class CommandStopped(UserError):
    """Ends the whole command, not only one run: no further run can succeed until the user mends the cause.

    Runs in flight are interrupted as by Ctrl-C: their journals are kept, and the next command resumes them.
    """


class ToolError(DrretailError):
    """A tool call that failed; the model reads ``as_result``."""

    def __init__(
        self, kind: ToolErrorType, message: str, *, field: str | None = None, allowed: Iterable[Any] | None = None
    ) -> None:
        super().__init__(message)
        self.kind: ToolErrorType = kind
        self.message = without_keys(message)
        self.field = field
        self.allowed = None if allowed is None else list(allowed)

    def as_result(self) -> dict[str, Any]:
        """``{"error": {type, message, field?, allowed?}}``."""
        error: dict[str, Any] = {"type": self.kind, "message": self.message}
        if self.field is not None:
            error["field"] = self.field
        if self.allowed is not None:
            error["allowed"] = self.allowed
        return {"error": error}


class NotFound(ToolError):
    """The shop holds no record of this id."""

    def __init__(self, what: str, record_id: str, *, field: str | None = None) -> None:
        super().__init__("not_found", f"There is no {what} {quoted(record_id)} in this shop.", field=field)


class DamagedRecord(ToolError):
    """The shop holds a record of this id that cannot be read, or has lost one that its index has."""

    def __init__(self, what: str, record_id: object, problem: str = "damaged") -> None:
        record = f"The shop's record of the {what} {quoted(record_id)} is {problem}"
        super().__init__("unavailable", f"{record}; `drretail world check` tells its owner more.")


class ModelError(DrretailError):
    """A model call, a budget or an agent's graph failed; ``kind`` is what the run records."""

    def __init__(self, kind: ModelErrorKind, message: str, *, usage: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.message = without_keys(message)
        self.usage = usage
        """The tokens of an unusable answer, which are paid for all the same."""
        self.retries = 0
        """How often the call was retried before it failed."""


def nearest_names(name: str, names: Iterable[str], n: int = 5, *, likeness: float = 0.6) -> list[str]:
    """Up to ``n`` of the known names that look most like ``name``, best first, compared without case.

    ``likeness`` is the least similarity that counts, from 0 to 1; below 0.6, names are offered that nobody meant.
    Names that share a word with ``name`` ("max_price", "price_max") or begin with it come last.
    """
    return list(_nearest_names(name, tuple(names), n, likeness))


@lru_cache(256)  # comparing with a thousand categories takes .1 s, and models repeat their mistakes
def _nearest_names(name: str, names: tuple[str, ...], n: int, likeness: float) -> tuple[str, ...]:
    folded = {candidate.casefold(): candidate for candidate in names}
    wanted = name[:LONGEST_NAME].casefold()
    near = get_close_matches(wanted, folded, n=n, cutoff=likeness)
    words = _WORD.findall(wanted)
    others = [
        key
        for key in folded
        if key not in near
        and any(get_close_matches(word, [*_WORD.findall(key), key[: len(wanted)]], cutoff=0.8) for word in words)
    ]
    return tuple(folded[key] for key in [*near, *get_close_matches(wanted, others, n=n, cutoff=0)])[:n]


def suggestion(nearest: list[str], known: Iterable[str], most: int = MOST_NAMES) -> str:
    """A sentence that offers the nearest names or, if none is near, the first ``most`` known ones."""
    every = sorted(known)
    names, left = (nearest, 0) if nearest else (every[:most], len(every[most:]))
    lead = "Did you mean" if nearest else "Known are"
    end = "?" if nearest else f" and {left} more." if left else "."
    return f"{lead} {', '.join(names)}{end}" if names else "None is known."


def file_error(problem: Exception, path: Path | None = None) -> str:
    """Why a file cannot be used and what to do, without a full stop: "q.jsonl is a folder: name a file".

    ``path`` is for errors that do not name their file.
    """
    name = getattr(problem, "filename", None)
    place = Path(os.fsdecode(name)) if isinstance(name, str | bytes | Path) else path
    if isinstance(problem, NotADirectoryError) and place is not None:  # one of the folders above it is a file
        place = next((parent for parent in place.parents if parent.is_file()), place)
    if isinstance(problem, UnicodeDecodeError):
        fault = f"is not in UTF-8 (byte {problem.start:,}): save it as UTF-8"
    else:
        reason = (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
        unknown = f"cannot be {'used' if path is None else 'read'}: {reason}"
        fault = _FILE_ERRORS.get(getattr(problem, "errno", None) or 0, unknown)
    return f"{'A file' if place is None else shortened(str(place), LONGEST_PATH)} {fault}"


def missing_addon(what: str, addon: str) -> str:
    """The sentence on a command or an option of an add-on whose folder is not there."""
    return f"{what} needs the add-on {addon}, which is not installed here."


def install_line(extra: str) -> str:
    """The command that installs an extra: of the checkout from which drretail was installed, or else of the package."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("drretail").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    origin = json.loads(text or "{}")
    folder = unquote(origin.get("url", "").removeprefix("file://"))
    if "dir_info" not in origin or not Path(folder, "pyproject.toml").is_file():
        return f"pip install 'drretail[{extra}]'"
    here = "." if Path(folder).resolve() == Path.cwd().resolve() else folder
    editable = "-e " if origin["dir_info"].get("editable") else ""
    return f"pip install {editable}{shlex.quote(f'{here}[{extra}]')}"


def quoted(name: object) -> str:
    """A name from outside as a message shows it: quoted, shortened, and without control characters."""
    if not isinstance(name, str):
        return f"of type {type(name).__name__}"
    return repr(shortened(name))


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """The text; if it is too long, its beginning and end, and how many characters are left out."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end]} … {len(text) - longest:,} more characters … {text[-end:]}"


def plain_address(url: str) -> str:
    """An address without user, password, query and fragment, for messages and records."""
    scheme, mark, rest = re.split(r"[?#]", url, maxsplit=1)[0].partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}" if mark else scheme.rpartition("@")[2]


def login_of(url: str) -> tuple[str, ...]:
    """What an address has for a password: as it is written and as it is sent, alone and with the user's name."""
    login = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0].rpartition("@")[0]
    password = login.partition(":")[2] or login
    written = dict.fromkeys((login, unquote(login), password, unquote(password)))
    return tuple(text for text in written if len(text) > 3)  # shorter ones would strike out parts of words


def without_logins(text: str) -> str:
    """The text without the users and passwords in its addresses."""
    return re.sub(r"(?<=://)[^/\s\"'<>]*@", "", text)


@cache
def _spellings(secret: str) -> frozenset[str]:
    """The secret as it is, and as a server may repeat it: in JSON, escaped, hex or base64."""
    spellings: set[str] = set()
    raw = secret.encode("utf-8", "surrogatepass")
    quoted = quote(raw), quote(raw, safe=""), quote_plus(raw)
    for written in (secret, json.dumps(secret)[1:-1], escape(secret), *quoted, *map(quote, quoted), raw.hex()):
        spellings |= {written, re.sub("%..", lambda code: code[0].lower(), written), written.upper()}
    for before in range(3):
        # The letters that depend on no byte before or behind the secret.
        inside = b64encode(bytes(before) + raw)[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6].decode()
        if len(inside) >= _SHORTEST_IN_BASE64:
            spellings |= {inside, inside.translate(_URL_SAFE)}
    return frozenset(spellings)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret struck out, in any of its spellings."""
    secrets = [*secrets]
    spellings = {spelling for secret in secrets for spelling in _spellings(secret) if spelling in text}
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, "***")
    for secret in secrets if _VEILED.search(text) else ():
        text = _veiled(secret).sub("***", text)
    return text


# What a page, a terminal or our own cleaning does not show, and what Markdown and HTML write a sign with.
_VEILED = re.compile(r"[^\x20-\x7e\n]|&#|\\[^\w\s]")


@cache
def _veiled(secret: str) -> re.Pattern[str]:
    """The secret with signs between its letters that nobody sees, or its letters as references of HTML."""
    letters = (f"(?:{re.escape(sign)}|&#0*{ord(sign)};|&#[xX]0*(?i:{ord(sign):x});)" for sign in secret)
    return re.compile(r"[^\w\s]{0,8}?".join(letters))


KEY_NAMES = re.compile(r"\w+_(API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)")
"""Variables that hold keys of providers, by the names that providers give them."""
_hidden: set[str] = set()


def hide_keys(environ: Mapping[str, str], *names: str) -> None:
    """Has ``without_keys`` strike out what this environment holds under the names of keys, and under these names."""
    held = [value for name, value in environ.items() if name in names or KEY_NAMES.fullmatch(name)]
    # Of custom headers each one's value. A placeholder such as "none" is a word, and stays.
    texts = {text for value in held for line in value.splitlines() for text in (line, line.partition(": ")[2])}
    _hidden.update(text for text in texts if len(text) > 15 or (len(text) > 6 and re.search(r"\d", text)))


def is_key(text: str) -> bool:
    """True if ``hide_keys`` was told of this text."""
    return text in _hidden


def without_keys(text: str) -> str:
    """The text without the keys that ``hide_keys`` was told of."""
    return without_secrets(text, _hidden) if _hidden else text


def raised_at(problem: BaseException) -> str:
    """Where an error of the user's code was raised, as "file, line n"; empty if it has no traceback.

    That is the innermost line outside libraries and drretail or, without any, the innermost line.
    """
    if isinstance(problem, SyntaxError) and problem.filename is not None:
        return f"{_from_here(problem.filename)}, line {problem.lineno}"
    frames = traceback.extract_tb(problem.__traceback__)
    theirs = [frame for frame in frames if _is_theirs(frame.filename)] or list(frames)
    return f"{_from_here(theirs[-1].filename)}, line {theirs[-1].lineno}" if theirs else ""


def is_of_own_code(problem: BaseException) -> bool:
    """True if code of the user's own, which drretail called, raised an error: a metric's, a condition's, an agent's."""
    files = [frame.filename for frame in traceback.extract_tb(problem.__traceback__)]
    ours = [place for place, file in enumerate(files) if file.startswith(_OURS)]
    return any(_is_theirs(file) for file in files[ours[-1] :] if ours)


def _is_theirs(file: str) -> bool:
    return not file.startswith(_NOT_THEIRS) and _LIBRARIES.isdisjoint(Path(file).parts)


def causes_of(problem: BaseException) -> Iterator[BaseException]:
    """An error and those it was raised from, ``from None`` or not: Ollama's client hides the response's so."""
    seen: set[int] = set()
    error: BaseException | None = problem
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def describe_error(problem: BaseException) -> str:
    """An error of the user's code as "Type: message (file, line n)"."""
    where = raised_at(problem)
    text = shortened(_writable(f"{type(problem).__name__}: {problem}".rstrip(".: ")), LONGEST_SENTENCE)
    return _writable(f"{text} ({where})" if where else text)


def traceback_of(problem: BaseException) -> str:
    """An error's full traceback, to be recorded beside the one-sentence message."""
    lines = "".join(traceback.format_exception(problem)).replace(f"{Path.cwd()}/", "")
    return shortened(_writable(lines), LONGEST_TRACEBACK)


def _writable(text: str) -> str:
    """The text without logins, and with lone surrogates escaped, which UTF-8 files can't hold."""
    return without_keys(without_logins(text)).encode("utf-8", "backslashreplace").decode("utf-8")


_OURS = str(Path(__file__).parent)
_NOT_THEIRS = ("<frozen ", _OURS, sysconfig.get_path("stdlib"))
_LIBRARIES = {"site-packages", "dist-packages"}
"""Named as they are, since an environment can also take libraries from another one's folder."""


def _from_here(file: str) -> str:
    """The file relative to the current folder: a record should not show where on a disk it was made."""
    return file.removeprefix(f"{Path.cwd()}/")

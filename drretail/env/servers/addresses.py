"""What is wrong with addresses and credentials, as far as it can be seen without asking a server; and how to show them.

What the clients say of them may repeat a password, so nothing of that is passed on.
"""

import re
from urllib.parse import parse_qs

from drretail.env.servers.settings import ServerSettings
from drretail.errors import UserError

HOST = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?"
# What is not plainly hosts stays out of messages: an unescaped password may hold any character.
ADDRESS = re.compile(rf"(?:[a-z+]+://)?(?:[^/?#@]*@)?({HOST}(?:,{HOST})*)(?:[/?#][^@]*)?")
MONGO_SCHEMES = ("mongodb://", "mongodb+srv://")
ES_SCHEMES = ("http://", "https://")
ESCAPED = "special characters in a user or a password are written as %XX"


def shown(url: str) -> str:
    """The hosts of an address, without user, password and options; for messages."""
    found = ADDRESS.fullmatch(url)
    return found[1] if found else "(not shown: it may hold a password)"


def check_mongo(settings: ServerSettings) -> None:
    """Raises UserError for an address without its scheme, and for half of a user with its password."""
    url, where = settings.mongo_url, f"MongoDB at {shown(settings.mongo_url)}"
    if not url.startswith(MONGO_SCHEMES):
        raise UserError(f"{where} has no proper address: MONGO_URL begins with mongodb:// or mongodb+srv://.")
    if settings.mongo_password is not None and settings.mongo_user is None and "@" not in url:
        raise UserError(f"{where} is given a password without a user: set DRRETAIL_MONGO_USER too.")
    if settings.mongo_user is not None and settings.mongo_password is None and not _has_other_login(url):
        raise UserError(f"{where} is given a user without a password: set DRRETAIL_MONGO_PASSWORD too.")


def check_elastic(settings: ServerSettings) -> None:
    """Raises UserError for an address without scheme or port, a password without a user, and missing certificates."""
    url, where = settings.es_url, f"Elasticsearch at {shown(settings.es_url)}"
    if not url.startswith(ES_SCHEMES):
        raise UserError(f"{where} has no proper address: ES_URL begins with http:// or https://.")
    if not re.search(r":[0-9]+$", _authority(url)):
        raise UserError(
            f"{where} has no proper address: in ES_URL a port comes after the host, such as :9200; {ESCAPED}."
        )
    if settings.es_password is not None and settings.es_user is None and settings.es_api_key is None and "@" not in url:
        raise UserError(
            f"{where} is given a password without a user: set DRRETAIL_ES_USER too ('elastic' is its first user)."
        )
    ca_file = settings.es_ca_file
    if url.startswith("https:") and settings.verify and ca_file is not None and not ca_file.is_file():
        raise UserError(f"The certificates {ca_file} (DRRETAIL_ES_CA_FILE) do not exist.")


def mongo_speaks_tls(settings: ServerSettings) -> bool:
    """True where the address or a file of certificates turns TLS on."""
    if settings.mongo_ca_file is not None:
        return True
    options = {name.lower(): values[-1].lower() for name, values in _options(settings.mongo_url).items()}
    said = options.get("tls", options.get("ssl"))
    return settings.mongo_url.startswith("mongodb+srv://") if said is None else said == "true"


def path_remark(url: str) -> str:
    """What to add where a server is of an unexpected kind, and its address has a path."""
    path = url.partition("://")[2].partition("/")[2]
    return " Leave the path out of ES_URL unless a proxy before Elasticsearch wants it." if path else ""


def _authority(url: str) -> str:
    return re.split(r"[/?#]", url.partition("://")[2])[0]


def _options(url: str) -> dict[str, list[str]]:
    return parse_qs(url.rpartition("?")[2] if "?" in url else "")


def _has_other_login(url: str) -> bool:
    """True where the address has the password, or says how to enter without one."""
    return ":" in _authority(url).rpartition("@")[0] or "authmechanism" in {name.lower() for name in _options(url)}

"""Whether a generation holds what it says of itself, so that loading the same world again leaves it or replaces it."""

from drretail.env.servers.checking import Check
from drretail.env.servers.connecting import Servers
from drretail.env.servers.live import Generation, collections_of, find_live
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.progress import Progress


def same_world(servers: Servers, fingerprint: str, *, materialize_users: bool) -> Generation | None:
    """What is live, where it is to be the world with this fingerprint and to hold all that is asked for."""
    live = find_live(servers)
    if live is None or live.manifest.fingerprint != fingerprint or (materialize_users and not live.materialized):
        return None
    return live


def is_whole(servers: Servers, live: Generation, progress: Progress) -> bool:
    """True where every row of what is live is as it was written, and the index holds its products; tells what it finds.

    Counts come first, since they cost nothing; then all rows are read and hashed. Raises ToolError when a server fails.
    """
    spec = f"{SPEC_PREFIX}{servers.name}"
    damage = missing_rows(servers, live)
    if not damage:
        progress.note(f"{spec} says that it is this very world already: comparing its rows with its fingerprint.")
        damage = ", ".join(dict.fromkeys(finding.code for finding in Check(servers, live).findings()))
    if damage:
        progress.note(f"What is live at {spec} is damaged ({damage}): it is loaded anew and replaced.")
        return False
    progress.note(f"This very world is live at {spec} already, and whole; its rows stay as they are.")
    return True


def missing_rows(servers: Servers, generation: Generation) -> str:
    """Where the servers hold another number of rows than the manifest says; empty where they don't."""
    counts = generation.manifest.counts.model_dump()
    collections = collections_of(servers.database, generation.number)
    found = {name: collections[name].count_documents({}) for name in ("products", "users", "orders")}
    wrong = [f"{found[name]} of {counts[name]} {name}" for name in found if found[name] != counts[name]]
    answer = servers.elastic.options(ignore_status=404).count(index=generation.index)
    indexed = answer.get("count", 0)
    if indexed != counts["products"]:
        wrong.append(f"{indexed} of {counts['products']} products in the index")
    return ", ".join(wrong)

"""What ``doctor`` says of Java."""

from collections.abc import Mapping

from drretail.addons.spark.session import OLDEST_JAVA, find_java, java_version
from drretail.api.doctor.machine import Sign, lacks, works


def examine_java(environ: Mapping[str, str]) -> Sign:
    """The Java that Spark would start, and whether Spark can use it."""
    java = find_java(environ)
    version = 0 if java is None else java_version(java)
    if java is not None and version >= OLDEST_JAVA:
        return works("Java", f"{version} ({java})")
    found = f"{version} ({java}), which is too old" if version else f"{java}, which does not start"
    mend = f"install a JDK of version {OLDEST_JAVA} or later, or set JAVA_HOME to one"
    return lacks("Java", "none" if java is None else found, "ingest --engine spark", mend)

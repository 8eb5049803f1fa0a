"""What SARIF 2.1.0 wants of the logs that nasm writes, section by section of the standard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

LEVELS = ("none", "note", "warning", "error")


def wrong_with(log: dict[str, Any]) -> list[str]:
    """What is wrong with a log, a sentence each."""
    found = [] if log.get("version") == "2.1.0" else ["the version is not 2.1.0 (3.13.2)"]
    if not isinstance(log.get("runs"), list):
        return [*found, "runs is no array (3.13.4)"]
    return [*found, *(said for run in log["runs"] for said in _run(run))]


def _run(run: dict[str, Any]) -> Iterator[str]:
    driver = run.get("tool", {}).get("driver", {})
    if not driver.get("name"):
        yield "the driver has no name (3.19.8)"
    rules = driver.get("rules", [])
    names = [rule.get("id") for rule in rules]
    if len(set(names)) < len(names):
        yield "two rules have one id (3.49.3)"
    for rule in rules:
        for part in ("shortDescription", "fullDescription", "help"):
            if not rule.get(part, {}).get("text"):
                yield f"a {part} without text (3.12.3)"
        if rule.get("defaultConfiguration", {}).get("level") not in LEVELS:
            yield "a rule with an unknown level (3.50.3)"
    if run.get("columnKind") not in ("utf16CodeUnits", "unicodeCodePoints"):
        yield "an unknown columnKind (3.14.17)"
    for invocation in run.get("invocations", ()):
        if not isinstance(invocation.get("executionSuccessful"), bool):
            yield "an invocation does not say whether it succeeded (3.20.14)"
    for result in run.get("results", ()):
        yield from _result(result, names)


def _result(result: dict[str, Any], names: list[str]) -> Iterator[str]:
    if not result.get("message", {}).get("text"):
        yield "a result without a message (3.27.11)"
    if result.get("level") not in LEVELS:
        yield "a result with an unknown level (3.27.10)"
    index = result.get("ruleIndex", -1)
    if not 0 <= index < len(names) or names[index] != result.get("ruleId"):
        yield "ruleIndex does not lead to ruleId (3.27.6)"
    related = result.get("relatedLocations", [])
    numbers = [where.get("id") for where in related]
    if len(set(numbers)) < len(numbers):
        yield "two locations have one id (3.28.2)"
    for where in (*result.get("locations", ()), *related):
        yield from _location(where)
    for suppression in result.get("suppressions", ()):
        if suppression.get("kind") not in ("inSource", "external"):
            yield "an unknown kind of suppression (3.35.2)"


def _location(where: dict[str, Any]) -> Iterator[str]:
    place = where.get("physicalLocation", {})
    uri = place.get("artifactLocation", {}).get("uri")
    if not isinstance(uri, str) or not uri.isascii() or set(uri) & set(' <>"{}|\\^`'):
        yield "a place without a valid URI (3.4.3)"
    else:
        urlsplit(uri)
    region = place.get("region")
    if region is None:
        return
    start = region.get("startLine", 0), region.get("startColumn", 0)
    end = region.get("endLine", 0), region.get("endColumn", 0)
    if min(*start, *end) < 1:
        yield "a region that does not begin at 1 (3.30.5)"
    if end < start:
        yield "a region that ends before it begins (3.30.7)"
    if "message" in where and not where["message"].get("text"):
        yield "a message without text (3.11.8)"

"""Problems as SARIF 2.1.0, the format of code scanning: what editors and forges show at its line.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nasm import __version__
from nasm.base.problems import Problem
from nasm.base.source import Span
from nasm.base.suppressions import Allow
from nasm.language import codes
from nasm.language.codes.row import Code
from nasm.show.explanations import prose
from nasm.show.log_lines import ProgramProblems

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"


def log(found: Iterable[ProgramProblems]) -> dict[str, Any]:
    """A log of one run of nasm over some programs."""
    found = tuple(found)
    results = [
        (each.name, problem, allow)
        for each in found
        for problem, allow in (
            *((problem, None) for problem in each.problems),
            *((a.problem, a.allow) for a in each.allowed),
        )
    ]
    index = {code: n for n, code in enumerate(sorted({problem.code for _, problem, _ in results}))}
    driver = {
        "name": "neuron-nasm",
        "version": __version__,
        "rules": [_rule(row) for row in map(codes.find, index) if row is not None],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": all(each.whole for each in found)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(*each, index) for each in results],
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(row: Code) -> dict[str, Any]:
    first, *_ = row.text.split("\n\n")
    examples = [("Wrong", row.wrong), ("Right", row.right)]
    plain = [prose(row.text).plain, *(f"{name}:\n{text}" for name, text in examples if text)]
    fenced = [row.text, *(f"{name}:\n\n```\n{text}\n```" for name, text in examples if text)]
    return {
        "id": row.code,
        "shortDescription": {"text": row.title},
        "fullDescription": {"text": prose(first).plain},
        "help": {"text": "\n\n".join(plain), "markdown": "\n\n".join(fenced)},
        "defaultConfiguration": {"level": row.severity.value},
        "properties": {"tags": [row.family.name.lower()]},
    }


def _result(
    name: str, problem: Problem, allow: Allow | None, index: dict[str, int]
) -> dict[str, Any]:
    text = [problem.message, *(n.message for n in problem.notes if not n.span), problem.hint]
    place = {"physicalLocation": {"artifactLocation": {"uri": _uri(name)}}}
    if problem.span is not None:
        place = _location(problem.span)
    chain = problem.span.chain if problem.span is not None else ()
    related = [_location(note.span, note.message) for note in problem.notes if note.span]
    related += [_location(frame.span, f"in {frame.what}") for frame in chain]
    made: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index[problem.code],
        "level": problem.severity.value,
        "message": {"text": "\n".join(filter(None, text))},
        "locations": [place],
    }
    if related:
        made["relatedLocations"] = [{"id": n, **where} for n, where in enumerate(related, 1)]
    if allow is not None:
        made["suppressions"] = [_suppression(allow)]
    if problem.facts:
        made["properties"] = dict(problem.facts)
    return made


def _suppression(allow: Allow) -> dict[str, Any]:
    if allow.span is None:
        return {"kind": "external", "status": "accepted"}
    return {
        "kind": "inSource",
        "status": "accepted",
        "justification": allow.reason,
        "location": _location(allow.span),
    }


def _location(span: Span, message: str = "") -> dict[str, Any]:
    """A place: its end is the column after its last character."""
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(max(span.start, span.end))
    made: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(span.source.name)},
            "region": {
                "startLine": line,
                "startColumn": column,
                "endLine": end_line,
                "endColumn": end_column,
                "snippet": {"text": span.text},
            },
        }
    }
    if message:
        made["message"] = {"text": message}
    return made


def _uri(name: str) -> str:
    """A file as it was given: relative to wherever it was given, unless it is absolute."""
    return Path(name).as_uri() if name.startswith("/") else quote(name)

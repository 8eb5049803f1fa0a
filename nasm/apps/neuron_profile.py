"""``neuron-profile`` for scripts that call the vendor's: ``python -m nasm.apps.neuron_profile``.

It reads what ``save_neff_name`` and ``save_trace_name`` of a kernel of NKI 0.1 have written.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, in_line
from nasm.show.recorded_run import SUMMARY

TEXT, JSON = "summary-text", "summary-json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the vendor's command of these words does; returns the exit code."""
    given = _parser().parse_args(arguments)
    try:
        given.body(given)
    except Failure as failure:
        sys.stderr.write(f"{failure}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("neuron-profile", description=__doc__, allow_abbrev=False)
    verbs = parser.add_subparsers(required=True, metavar="capture|view")
    capture = verbs.add_parser("capture", help="write the trace of a saved run")
    capture.set_defaults(body=_capture)
    capture.add_argument(
        "--profile-nth-exec", metavar="N", type=int, help="add _exec_N to the name of the trace"
    )
    view = verbs.add_parser("view", help="print the figures of a run")
    view.set_defaults(body=_view)
    view.add_argument("--output-format", choices=(TEXT, JSON), required=True)
    for verb in (capture, view):
        verb.add_argument("-n", dest="neff_path", metavar="FILE", required=True)
        verb.add_argument("-s", dest="session_file", metavar="FILE", default="profile.ntff")
    return parser


def _capture(given: argparse.Namespace) -> None:
    """Copy the trace: the run that was saved is the only one there is."""
    data, _ = _document(given.neff_path)
    path = given.session_file
    if given.profile_nth_exec is not None:
        stem, ending = os.path.splitext(path)
        path = f"{stem}_exec_{given.profile_nth_exec}{ending}"
    try:
        with host_files.whole(path) as out:
            out.write(data)
    except OSError as problem:
        raise Failure(_problem("E0806", f"cannot write {in_line(path)}", problem)) from None


def _view(given: argparse.Namespace) -> None:
    """Print the figures that were computed, in the order of their names."""
    _document(given.neff_path)
    _, summary = _document(given.session_file)
    found = {n: value for n, value in sorted(summary.items()) if isinstance(value, int | float)}
    if given.output_format == JSON:
        # NKIBench's harness reads the first value of the document; the name of a run is ours.
        sys.stdout.write(json.dumps({in_line(given.session_file): found}, indent=1) + "\n")
        return
    width = max(map(len, found), default=0)
    sys.stdout.write("".join(f"{name:<{width}}  {value}\n" for name, value in found.items()))


def _document(path: str) -> tuple[bytes, dict[str, Any]]:
    """What was saved of a run, and its figures; raises Failure."""
    try:
        data = host_files.read_bytes(path)
    except OSError as problem:
        raise Failure(_problem("E0801", f"cannot read {in_line(path)}", problem)) from None
    try:
        summary = json.loads(data)[SUMMARY]
    except (ValueError, LookupError, TypeError, RecursionError):
        summary = None
    if not isinstance(summary, dict):
        message = f"cannot read {in_line(path)}: it is no run that nasm saved"
        hint = "save one with nki.benchmark(save_neff_name=…)"
        raise Failure(Problem("E0801", message, None, hint))
    return data, summary


def _problem(code: str, message: str, problem: OSError) -> Problem:
    return Problem(code, f"{message}: {problem.strerror or problem}")


if __name__ == "__main__":
    sys.exit(main())

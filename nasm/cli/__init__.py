"""The shell command ``neuron-nasm``.

This module imports nothing heavy: NumPy, Lark and Rich come with the verb that needs them, so that
``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from nasm import docstrings
from nasm.cli import arguments, streams

DEFECT, INTERRUPTED, REFUSED = 70, 130, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code and never raises for what a user wrote."""
    given = list(sys.argv[1:] if argv is None else argv)
    streams.prepare()
    try:
        code = _guarded(given)
        streams.flush(sys.stdout)
    except streams.Unwritable as problem:
        _say(f"cannot write to standard output: {problem}")
        code = REFUSED
    return code


def _guarded(given: list[str]) -> int:
    try:
        return _command(given)
    except streams.Unwritable:
        raise
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except SystemExit as leaving:  # argparse has said why
        return leaving.code if isinstance(leaving.code, int) else REFUSED
    except MemoryError:
        _say("error[E0808]: not enough memory on this computer for this program")
        return REFUSED
    except Exception as defect:
        return _report_defect(defect, given)


def _command(given: list[str]) -> int:
    refused = arguments.refusal(given)
    if refused:
        _say(refused)
        return REFUSED
    parsed = arguments.read(given)
    if parsed.verb is None:
        arguments.parser().print_help()
        return 0
    if docstrings.stripped():
        _say(docstrings.NEEDED)
        return REFUSED
    from nasm.cli import verbs

    return verbs.VERBS[parsed.verb](parsed)


def _say(message: str) -> None:
    """One line on standard error."""
    streams.write(sys.stderr, f"neuron-nasm: {message}\n")


def _report_defect(defect: Exception, given: list[str]) -> int:
    """What nasm should have foreseen: short on the terminal, everything in a file."""
    import platform
    import tempfile
    import traceback

    from nasm import __version__

    details = "".join(traceback.format_exception(defect))
    if os.environ.get("NASM_DEBUG") == "1":
        streams.write(sys.stderr, details)
        return DEFECT
    where = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="neuron-nasm-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(
                f"nasm {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
                f"arguments: {given}\n\n{details}"
            )
            where = f"The details are in {file.name}; please report it with them."
    except OSError:
        where = "With NASM_DEBUG=1 in the environment it says more; please report it."
    said = f"{type(defect).__name__}: {defect}".partition("\n")[0]
    _say(f"error[E0901]: a defect in nasm, not in your program: {said}\n  {where}")
    return DEFECT

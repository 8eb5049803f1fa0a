"""The command: the library's tests, with what they need to be found."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import nasm.nki
from nasm.nki.library_tests import stand_ins

LIMIT = 60.0
"""Processor seconds that a case may take."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; returns pytest's exit code, or 2."""
    parser = argparse.ArgumentParser(
        prog="python -m nasm.nki.library_tests",
        description="Run the integration tests of a checkout of nki-library on the simulated "
        "machine. What else is given is pytest's: a folder or file below test/integration, -k, -m "
        "(by default fast).",
    )
    parser.add_argument("checkout", type=Path, help="a checkout of nki-library")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, metavar="S", help="processor seconds for a case"
    )
    parser.add_argument("--target", help="instead of what each test says")
    parser.add_argument("--json", metavar="FILE", help="write what became of each case to a file")
    given, rest = parser.parse_known_args(arguments)
    if "" in rest:
        parser.error("an argument is empty: it would name every test of the checkout")
    root = given.checkout.resolve()
    if not (root / "test" / "integration").is_dir():
        parser.error(f"{given.checkout} is no checkout of nki-library: it has no test/integration")
    try:
        import pytest
    except ImportError:
        parser.error("pytest is not installed")
    from nasm.nki.library_tests.plugin import FAST, Plugin

    path = None if given.json is None else os.path.abspath(given.json)
    plugin = Plugin(given.limit, given.target, path)
    stand_ins.install()
    sys.path[:0] = [str(root), str(root / "src")]
    os.chdir(root)
    words = ["--noconftest", "-c", os.devnull, "--rootdir", str(root), "-q", "--tb=no"]
    words += ["-p", "no:cacheprovider", "-W", "ignore", "--continue-on-collection-errors"]
    if not any(word == "-m" or word.startswith("-m=") for word in rest):
        words += ["-m", FAST]
    if not any((root / word.partition("::")[0]).exists() for word in rest):
        words.append("test/integration")
    with nasm.nki.installed():
        return int(pytest.main([*words, *rest], plugins=[plugin]))

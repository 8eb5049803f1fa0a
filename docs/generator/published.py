"""The page of AWS's own instruction tests: each one, and the program here that answers it."""

from __future__ import annotations

import re
from pathlib import Path

from generator.markdown import NOTE, code, joined, table

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "vendor"
_HEAD = re.compile(r"; test_nki_isa_(\w+)\.py, (test_\w+)(?:, ([^:]+))?: (.+)")


def page() -> str:
    """Every published test, from the first lines of the programs."""
    rows = []
    for path in sorted(PROGRAMS.glob("*.nasm")):
        lines = path.read_text(encoding="utf-8").splitlines()
        match = _HEAD.match(lines[0])
        if match is None:
            raise SystemExit(f"{path.name} does not say which published test it is")
        said = match[4]
        for line in lines[1:]:
            if not line.startswith(";"):
                break
            said += " " + line.lstrip("; ")
        target = next(line.split()[1] for line in lines if line.startswith(".target"))
        test = code(match[2]) + (f", {match[3]}" if match[3] else "")
        rows.append([code(match[1]), test, said, target, code(f"tests/vendor/{path.name}")])
    rows.sort()
    return joined(
        NOTE,
        "# AWS's instruction tests",
        "The SDK publishes a test for most functions of `nki.isa` (aws-neuron-sdk, "
        "`nki/test/test_nki_isa_*.py`), with a NumPy reference for each. All of them are programs "
        "here: the inputs are drawn as the published test draws them, the reference's result is "
        "an input `WANT…`, and the program's `.expect` compares, with the published tolerance "
        "(`numpy.allclose`) or exactly. `make test` runs each on its target and on later ones.",
        table(["file", "test", "what it shows", "target", "program"], rows),
        "What they do not show: `test_dropout` compares with zeros only, since the vendor's "
        "simulator does not drop anything; here every element must be kept or dropped. "
        "`nl.rand` of the Max8 and MatchReplace8 tests is an input here. The mask of "
        "`test_nc_match_replace_indices8_mask` was never an operand of the hardware: the compiler "
        "cut the tiles, and so does the program.",
    )

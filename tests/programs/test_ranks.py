"""The programs of several ranks do what they promise, whatever the number of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm

FOLDER = Path(__file__).parents[2] / "programs" / "ranks"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*.nasm"))


def test_the_readme_lists_the_programs_of_ranks() -> None:
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert PROGRAMS
    for name in PROGRAMS:
        assert f"(ranks/{name})" in text


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_ranks_does_what_it_promises(name: str, ranks: int) -> None:
    report = nasm.run(FOLDER / name, ranks=ranks, strict=True).report
    assert report.ok, report.reasons
    assert nasm.check(FOLDER / name, ranks=ranks).ok

"""``nki --migrate``: kernels of NKI 0.1 written in today's dialect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nasm.nki.migrating.migrate import migrate

FILE = Path(__file__).parents[1] / "nki" / "old" / "kernels.py"
HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit
def kernel(x):
"""


def test_the_command_writes_the_text_and_what_it_took(ran: Any, tmp_path: Path) -> None:
    done = ran("nki", "--migrate", str(FILE))
    assert done.code == 0
    assert done.out == migrate(FILE.read_text(encoding="utf-8")).text
    assert "all lines migrated" in done.err
    path = tmp_path / "new.py"
    again = ran("nki", "--migrate", str(FILE), "--emit", str(path))
    assert again.out == ""
    assert path.read_text(encoding="utf-8") == migrate(FILE.read_text(encoding="utf-8")).text


def test_the_command_exits_with_1_if_a_line_is_left(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "old.py"
    path.write_text(f"{HEAD}    return nl.program_id(0)\n", encoding="utf-8")
    done = ran("nki", "--migrate", str(path))
    assert done.code == 1
    assert "1 line could not be migrated" in done.err
    found = ran("nki", "--migrate", str(path), "--json")
    document = json.loads(found.out)
    assert found.code == document["exit_code"] == 1
    assert document["problems"][0]["line"] == HEAD.count("\n") + 1


def test_the_command_runs_nothing_then(ran: Any) -> None:
    for words in (["--in", "x=ones[2,2]"], ["--lnc", "2"], ["--", "word"]):
        done = ran("nki", "--migrate", str(FILE), *words)
        assert done.code == 2
        assert "--migrate" in done.err
    assert ran("nki", "--migrate", f"{FILE}:product").code == 2

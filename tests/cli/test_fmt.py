"""``neuron-nasm fmt``: files in place, standard input, and what there would be to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LOOSE = ".sbuf a f32[1,2]\n@vector Memset a,1.0 ; one\n"
NEAT = ".sbuf  a  f32[1, 2]\n@vector  Memset  a, 1.0  ; one\n"


def test_a_file_is_formatted_in_its_place(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.nasm"
    path.write_text(LOOSE)
    done = ran("fmt", str(path))
    assert (done.code, done.out) == (0, "")
    assert "1 file formatted, 1 read" in done.err
    assert path.read_text() == NEAT
    before = path.stat().st_mtime_ns
    assert "0 files formatted" in ran("fmt", str(path)).err
    assert path.stat().st_mtime_ns == before


def test_check_names_the_files_and_writes_none(ran: Any, tmp_path: Path) -> None:
    loose, neat = tmp_path / "loose.nasm", tmp_path / "neat.nasm"
    loose.write_text(LOOSE)
    neat.write_text(NEAT)
    done = ran("fmt", "--check", str(loose), str(neat))
    assert (done.code, done.out) == (1, f"{loose}\n")
    assert loose.read_text() == LOOSE
    assert ran("fmt", "--check", str(neat)).code == 0


def test_diff_shows_what_would_change(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.nasm"
    path.write_text(LOOSE)
    done = ran("fmt", "--diff", str(path))
    assert done.code == 1
    assert "-.sbuf a f32[1,2]\n" in done.out
    assert "+.sbuf  a  f32[1, 2]\n" in done.out
    assert path.read_text() == LOOSE


def test_a_text_that_cannot_be_read_stays_and_others_are_formatted(
    ran: Any, tmp_path: Path
) -> None:
    wrong, loose = tmp_path / "wrong.nasm", tmp_path / "loose.nasm"
    wrong.write_text("@vector Memset a,,1\n")
    loose.write_text(LOOSE)
    done = ran("fmt", str(wrong), str(loose))
    assert done.code == 2
    assert "wrong.nasm:1:" in done.err
    assert wrong.read_text() == "@vector Memset a,,1\n"
    assert loose.read_text() == NEAT


def test_what_was_not_read_is_not_counted(ran: Any, tmp_path: Path) -> None:
    neat = tmp_path / "neat.nasm"
    neat.write_text(NEAT)
    done = ran("fmt", tmp_path / "none.nasm", neat)
    assert (done.code, "0 files formatted, 1 read" in done.err) == (2, True)
    assert " read\n" not in ran("fmt", tmp_path / "none.nasm").err
    assert ran("fmt", "--diff", neat).code == 0


def test_an_object_file_is_no_text(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.nasm"
    path.write_text(f".target trn2\n{LOOSE}")
    assert ran("asm", str(path)).code == 0
    done = ran("fmt", str(tmp_path / "x.nobj"))
    assert done.code == 2
    assert "is an object file; wanted a text" in done.err

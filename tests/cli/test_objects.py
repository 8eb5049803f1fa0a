"""``neuron-nasm asm`` and ``dis``, and object files in the place of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.language.objects import bodies, sections
from nasm.language.objects.writing import written

TEXT = """\
.target trn2
.const N = 8
.hbm A f32[8, 8] input = "data/a.npy"
.hbm C f32[8, 8] output
.sem s
@vector Nop
@sync DmaCopy C, A $s += 16
@sync EventSemaphore $s >= 16
.expect C == "data/a.npy"
.expect sum(C) == 28 * N
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "a.npy", np.tile(np.arange(8, dtype=np.float32), (8, 1)))
    file = tmp_path / "x.nasm"
    file.write_text(TEXT)
    return file


def test_an_object_is_beside_its_text_and_runs_without_its_files(ran: Any, path: Path) -> None:
    done = ran("asm", str(path))
    assert (done.code, done.out) == (0, "")
    made = path.with_suffix(".nobj")
    assert f"wrote {made}" in done.err
    whole = ran("run", str(path)).out
    path.unlink()
    (path.parent / "data" / "a.npy").unlink()
    assert ran("run", str(made), "--no-files").out == whole
    assert ran("check", str(made)).code == 0
    assert "PASS" in ran("run", str(made.rename(path.parent / "any.name"))).out


def test_linked_files_stay_where_they_are(ran: Any, path: Path) -> None:
    made = path.parent / "deep" / "x.nobj"
    made.parent.mkdir()
    assert ran("asm", str(path), "--link", "-o", str(made)).code == 0
    assert ran("run", str(made)).code == 0
    (path.parent / "data" / "a.npy").unlink()
    done = ran("run", str(made))
    assert done.code == 2
    assert "a.npy" in done.err


def test_a_file_that_is_missing_is_said_when_the_object_is_made(ran: Any, path: Path) -> None:
    (path.parent / "data" / "a.npy").unlink()
    done = ran("asm", str(path))
    assert done.code == 2
    assert "no file" in done.err
    assert not path.with_suffix(".nobj").exists()


def test_dis_prints_what_print_does_and_extracts_the_files(ran: Any, path: Path) -> None:
    ran("asm", str(path))
    made = str(path.with_suffix(".nobj"))
    done = ran("dis", made)
    assert done.out == ran("print", str(path)).out
    assert "the object has 1 array file that the text names: --extract writes them" in done.err
    out = path.parent / "out"
    out.mkdir()
    assert ran("dis", made, "-o", str(out / "y.nasm"), "--extract").code == 0
    assert ran("run", str(out / "y.nasm")).code == 0
    np.save(out / "data" / "a.npy", np.zeros(1))
    done = ran("dis", made, "-o", str(out / "z.nasm"), "--extract")
    assert done.code == 2
    assert "there is another file of that name" in done.err


def test_a_stripped_object_has_no_text_and_runs_alike(ran: Any, path: Path) -> None:
    ran("asm", str(path), "--strip")
    made = path.with_suffix(".nobj")
    assert b"EventSemaphore $s" not in made.read_bytes()
    assert ran("run", str(made)).code == 0
    done = ran("repl", str(made), "-ex", "list")
    assert "the program has no text" in done.out + done.err


def test_an_allow_holds_in_a_stripped_object(ran: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.nasm"
    file.write_text(
        ".target trn2\n.sbuf a f32[4, 4]\n.sbuf b f32[4, 4]\n"
        "@vector TensorCopy b, a ; nasm: allow E0501 whatever a holds\n"
    )
    assert ran("run", str(file)).code == 0
    ran("asm", str(file), "--strip")
    made = str(tmp_path / "x.nobj")
    assert ran("run", made).code == 0
    assert "; nasm: allow E0501 whatever a holds" in ran("dis", made).out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-D", "N=4"), "is assembled: its constants have their values"),
        (("--target", "trn1"), "is assembled for NeuronCore-v3 (Trn2), not for trn1"),
        (("--autosync",), "is assembled: it has the waits that it has"),
    ],
)
def test_what_is_said_of_texts_is_refused(
    ran: Any, path: Path, options: tuple[str, ...], said: str
) -> None:
    ran("asm", str(path))
    done = ran("run", str(path.with_suffix(".nobj")), *options)
    assert done.code == 2
    assert "E0810" in done.err
    assert said in done.err


def test_an_object_runs_on_the_machine_it_was_made_for_or_another(ran: Any, path: Path) -> None:
    figures = path.parent / "t.toml"
    figures.write_text("nop_ns = 5000\n")
    ran("asm", str(path), "--timing", str(figures), "-o", str(path.parent / "slow.nobj"))
    ran("asm", str(path))
    slow = ran("run", "--json", str(path.parent / "slow.nobj")).document["time"]["ticks"]
    plain = str(path.with_suffix(".nobj"))
    assert slow == ran("run", "--json", plain, "--timing", str(figures)).document["time"]["ticks"]
    assert slow > ran("run", "--json", plain).document["time"]["ticks"]


def test_every_way_to_cut_a_file_off_is_refused(path: Path) -> None:
    whole = written(nasm.assemble(path))
    cut = path.parent / "cut.nobj"
    for end in (8, 19, 20, 30, 100, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:end])
        with pytest.raises(nasm.Failure, match="E0842"):
            nasm.assemble(cut)


def test_a_newer_format_and_a_changed_byte_are_refused(path: Path) -> None:
    whole = written(nasm.assemble(path))
    other = path.parent / "other.nobj"
    other.write_bytes(whole[:8] + b"\x02" + whole[9:])
    with pytest.raises(nasm.Failure, match="format 2, which is newer"):
        nasm.assemble(other)
    start = sections.HEAD.size + sections.ENTRY.size * 16
    other.write_bytes(whole[:start] + bytes([whole[start] ^ 1]) + whole[start + 1 :])
    with pytest.raises(nasm.Failure, match="checksum"):
        nasm.assemble(other)


def test_an_instruction_that_breaks_a_rule_is_refused(path: Path) -> None:
    """Whoever makes the checksums agree gets no further than with a text."""
    text = ".target trn2\n.sbuf a f32[4, 8]\n.sbuf b f32[4, 8]\n@vector TensorCopy b, a\n"
    parts = {n: bytes(b) for n, b in sections.parted(written(nasm.assemble(text))).items()}
    tensors = bodies.read_document(memoryview(parts["tensors"]), "tensors")
    tensors[0]["dtype"] = "int32"
    tensors[0]["memory"] = "hbm"
    parts["tensors"] = bodies.document(tensors)
    other = path.parent / "forged.nobj"
    other.write_bytes(sections.joined(parts))
    with pytest.raises(nasm.Failure) as caught:
        nasm.assemble(other)
    assert caught.value.problems[0].code == "E0842"
    assert "is in hbm; this operand reaches" in caught.value.problems[0].message

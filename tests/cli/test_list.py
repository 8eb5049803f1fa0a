"""``neuron-nasm list``: every line with its place, its cycles and what it came from."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

TEXT = """\
.target trn2
.hbm A bf16[128, 128] input = iota
.hbm C f32[128, 64] output
.sbuf a bf16[128, 128]
.sbuf h f16[64, 32]
.sbuf c f32[128, 64]
.psum acc f32[128, 64] @ bank 1
.psum d f32[32, 32] @ bank 2
.sem loaded, done, stored
@sync DmaCopy a, A $loaded += 16
@tensor LoadStationary a $loaded >= 16
@tensor MultiplyMoving acc, a[:, 0:64] $done++
@tensor LoadStationary h[32:64, :], tile_position=[32, 0], tile_size=[32, 32]
@tensor MultiplyMoving d, h[32:64, :], tile_position=[32, 0], tile_size=[32, 32]
.for k in 0..2
again{k}: @vector TensorCopy c[:, k*32 : +32], acc[:, k*32 : +32] $done >= 1
.end
@sync DmaCopy C, c $stored += 16
@sync EventSemaphore $stored >= 16
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "x.nasm"
    file.write_text(TEXT)
    return str(file)


def test_lines_have_offsets_pcs_numbers_and_rounds(ran: Any, path: str) -> None:
    lines = ran("list", "--json", path).document["lines"]
    assert [line["offset"] for line in lines] == list(range(9))
    copies = [line for line in lines if line["engine"] == "vector"]
    assert [(line["pc"], line["labels"]) for line in copies] == [(0, ["again0"]), (1, ["again1"])]
    assert copies[1]["operands"] == "c[:, 32:64], acc[:, 32:64]"
    assert (copies[1]["wait"], copies[1]["update"]) == ("$done >= 1", "")
    assert copies[1]["expansion"] == ".for k = 1"
    assert copies[1]["place"] == f"{path}:16"
    assert [line["cycles"] for line in lines if line["mnemonic"] == "DmaCopy"] == [None, None]


SETTINGS = """\
.target wormhole
.cfg  SEM1_max = 1
.cfg  ALU_FORMAT_SPEC_REG0_SrcA = bf16
@t0
.cfg  GPR4 = 42
.cfg  MOP0_A0:  SFPNOP
.write  ALU_FORMAT_SPEC_REG0_SrcA = tf32
@t1 .cfg  GPR4 = 0x12345
@t1  SEMPOST 2
"""


def test_settings_are_before_the_lines_and_a_write_beside_what_it_became(
    ran: Any, tmp_path: Path
) -> None:
    file = tmp_path / "x.nasm"
    file.write_text(SETTINGS)
    shown = ran("list", str(file)).out.splitlines()
    assert [line.strip() for line in shown[: shown.index("")]] == [
        ".cfg SEM1_max = 1",
        ".cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16",
        "@t0  .cfg GPR4 = 42",
        "@t0  .cfg MOP0_A0: SFPNOP",
        "@t1  .cfg GPR4 = 0x12345",
    ]
    (written,) = (line for line in shown if "RMWCIB" in line)
    assert written.endswith(".write ALU_FORMAT_SPEC_REG0_SrcA = tf32")
    of_one = ran("list", str(file), "--engine", "t1").out
    assert "GPR4 = 0x12345" in of_one
    assert "SEM1_max" in of_one
    assert "GPR4 = 42" not in of_one


def test_cycles_are_those_of_the_engine(ran: Any) -> None:
    lines = ran("list", "--json", str(ROOT / "programs" / "matmul.nasm")).document["lines"]
    # Each of the 512 columns of the moving tile takes a cycle of Tensor.
    assert next(line["cycles"] for line in lines if line["mnemonic"] == "MultiplyMoving") == 512


def test_a_listing_is_in_columns(ran: Any, path: str) -> None:
    done = ran("list", path)
    lines = [line for line in done.out.splitlines() if ".nasm:" in line]
    assert len({line.index(path) for line in lines}) == 1
    assert "@vector\n" in done.out
    assert "again1:  TensorCopy" in done.out


def test_one_engine_or_one_core_alone(ran: Any, path: str) -> None:
    lines = ran("list", "--json", path, "--engine", "@pe").document["lines"]
    assert {line["engine"] for line in lines} == {"tensor"}
    assert ran("list", path, "--core", "0").out == ran("list", path).out
    refused = ran("list", path, "--core", "1")
    assert (refused.code, refused.out) == (2, "")
    assert "the program uses cores 0 to 0" in refused.err
    assert "no engine 'vectr'" in ran("list", path, "--engine", "vectr").err


def test_values_separated_by_commas_have_names(ran: Any, path: str) -> None:
    rows = list(csv.DictReader(io.StringIO(ran("list", "--csv", path).out)))
    assert len(rows) == 9
    assert rows[0]["mnemonic"] == "LoadStationary"
    assert [r["cycles"] for r in rows if r["mnemonic"] == "DmaCopy"] == ["", ""]


def test_an_object_lists_as_its_text(ran: Any, path: str) -> None:
    ran("asm", path)
    assert ran("list", path.replace(".nasm", ".nobj")).out == ran("list", path).out


def test_the_profilers_words_are_those_of_published_profiles(ran: Any, path: str) -> None:
    lines = ran("list", "--json", "--explorer", path).document["lines"]
    first, second, *_ = [line for line in lines if line["mnemonic"] == "MATMUL"]
    # PSUM begins at 0x2000000, its banks are 0x800 apart; no page names bfloat16.
    assert first["operands"] == "src=?@0x0[1,0,0][64,1,1] dst=0x2000800[1,0,0][64,1,1]"
    assert first["update"] == "$S[1]++@complete"
    # Partition 32 of SBUF is 32 * 0x40000 further; h stands behind the 256 bytes of a.
    assert second["operands"] == "src=fp16@0x800100[1,0,0][32,1,1] dst=0x2001000[1,0,0][32,1,1]"
    load = next(line for line in lines if line["mnemonic"] == "DMA_DIRECT2D")
    # The operands of a [128, 128] load of bfloat16 in the published sample.
    assert load["operands"] == (
        "src_elem_size=256 dst_elem_size=256 src_pattern=[256,1][128,1] "
        "dst_pattern=[262144,1][128,1]"
    )
    assert load["update"] == "semaphore=0 sem_increment=16"
    stationary = next(line for line in lines if line["mnemonic"] == "LDWEIGHTS")
    assert (stationary["operands"], stationary["wait"]) == ("", "$S[0]>=16")


def test_what_no_published_profile_shows_is_left_out(ran: Any, tmp_path: Path) -> None:
    file = tmp_path / "y.nasm"
    file.write_text(
        ".target trn2\n.hbm A f32[64, 8]\n.sbuf a f32[128, 8]\n.psum p f32[64, 8]\n.sem s\n"
        "@sync DmaCopy a[0:16], A[%r0 : +16]\n@sync DmaCopy A, p\n@vector Nop $s += 3\n"
    )
    lines = ran("list", "--json", "--explorer", str(file)).document["lines"]
    assert [line["operands"] for line in lines] == ["", "", ""]
    assert next(line for line in lines if line["engine"] == "vector")["update"] == "$S[0]?@complete"


CALLED = """\
.target trn2
.hbm A f32[128, 8] input = iota
.hbm B f32[128, 8] output
.sbuf t f32[128, 8]
.macro copy(to, from)
@sync DmaCopy to, from
@sync .drain
.end
copy(t, A)
copy(B, t)
"""

SET = """\
.target wormhole
.macro set(n)
@t0 .write GPR6 = n
.end
set(1)
set(2)
"""


@pytest.mark.parametrize(
    ("text", "calls"), [(CALLED, ["copy(t, A)", "copy(B, t)"]), (SET, ["set(1)", "set(2)"])]
)
def test_lines_of_a_macro_are_of_the_call_that_made_them(
    ran: Any, tmp_path: Path, text: str, calls: list[str]
) -> None:
    file = tmp_path / "called.nasm"
    file.write_text(text)
    lines = ran("list", "--json", str(file)).document["lines"]
    assert [line["expansion"] for line in lines] == [calls[0]] * 2 + [calls[1]] * 2

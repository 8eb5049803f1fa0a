"""The official tests (riscv-software-src/riscv-tests) of what cores have, each run on core B.

They are not ours and not here: ``NASM_RISCV_TESTS`` names a checkout. Their environment is: they
end with an ``ebreak``, after 1 or the number of what failed was put into gp.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import nasm
from nasm.machine.records import Status
from nasm.targets.tensix.risc_state import B
from tests.parts import everything
from tests.tensix.core.machines import held
from tests.tensix.riscv.compiled import linked

CHECKOUT = "NASM_RISCV_TESTS"
FOLDERS = {
    "wormhole": ("rv32ui", "rv32um"),
    "blackhole": ("rv32ui", "rv32um", "rv32uzba", "rv32uzbb", "rv32ua", "rv32uzbkb"),
}
EXTENSIONS = {"wormhole": "im", "blackhole": "ima_zicsr_zba_zbb_zbkb"}
LEFT_OUT = {
    "lrsc": "lr.w and sc.w, which no core has",
    "packh": "cores have of Zbkb only what their page names",
    "zip": "cores have of Zbkb only what their page names",
    "unzip": "cores have of Zbkb only what their page names",
    "fence_i": "it writes instructions, which these cores see by their caches alone",
    "ma_data": "it loads from odd addresses, which these cores round down",
}
ENVIRONMENT = """
#define RVTEST_RV32U
#define RVTEST_RV64U
#define TESTNUM gp
#define RVTEST_CODE_BEGIN .section .text; .globl _start; _start:
#define RVTEST_CODE_END ebreak
#define RVTEST_PASS li gp, 1; ebreak
#define RVTEST_FAIL ebreak
#define EXTRA_DATA
#define RVTEST_DATA_BEGIN .align 4
#define RVTEST_DATA_END .align 4
"""


def sources(target: str) -> list[Path]:
    found = os.environ.get(CHECKOUT)
    if not found:
        return []
    folders = (Path(found) / "isa" / name for name in FOLDERS[target])
    return sorted(path for folder in folders for path in folder.glob("*.S"))


CASES = [(target, path) for target in FOLDERS for path in sources(target)]


pytestmark = pytest.mark.skipif(
    not os.environ.get(CHECKOUT), reason=f"{CHECKOUT} does not name a checkout of riscv-tests"
)


@pytest.mark.thorough
def test_the_checkout_has_the_tests_of_both() -> None:
    assert everything()
    assert (len(sources("wormhole")) >= 48, len(sources("blackhole")) >= 85) == (True, True)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "path"), CASES, ids=lambda one: getattr(one, "stem", one))
def test_an_official_test_passes(target: str, path: Path, tmp_path: Path) -> None:
    if path.stem in LEFT_OUT:
        pytest.skip(LEFT_OUT[path.stem])
    (tmp_path / "riscv_test.h").write_text(ENVIRONMENT)
    macros = path.parents[1] / "macros" / "scalar"
    more = f"-I{tmp_path}", f"-I{macros}"
    has = EXTENSIONS[target]
    made = linked([path], tmp_path / "test.elf", 0, *more, extensions=has)
    text = f'.target {target}\n.rv B\n.include "{made.name}"\n'
    (tmp_path / "test.nasm").write_text(text)
    session = nasm.Session(tmp_path / "test.nasm")
    session.run(max_cycles=1_000_000)
    assert session.report().status is Status.FINISHED
    assert held(session.machine).riscs[B].registers[3] == 1

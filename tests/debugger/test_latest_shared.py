"""Who wrote last bytes that several tensors have, and under which name."""

from __future__ import annotations

import nasm
from nasm.base.source import Source
from nasm.show.memories import WriteTimes

TEXT = """\
.target trn1
.hbm H f32[128, 4] input = iota
.sbuf early f32[128, 8] @ 0:0
.sbuf late f32[128, 4] @ 0:16
.sbuf apart f32[128, 4]
.sem moved
@vector Memset early, 1.0
@vector Memset apart, 1.0     $moved++
@sync   DmaCopy late, H       $moved >= 1  $moved += 16
@sync   EventSemaphore        $moved >= 17
"""


def under(session: nasm.Session) -> dict[str, str]:
    """The name that the last write has, by tensor."""
    found = session.why.latest()
    assert found is not None
    return {name: wrote.under for name, wrote in found.writes.items()}


def test_the_last_write_is_reported_under_the_name_that_its_instruction_has() -> None:
    session = nasm.Session(Source("shared.nasm", TEXT))
    session.step(count=1)
    assert under(session) == {"early": "early", "late": "early"}
    times = WriteTimes(session, session.why.latest())
    assert [times.cells(name)[1] for name in ("early", "late", "apart")] == ["7", "7 as early", ""]
    session.run()
    assert under(session) == {"early": "late", "late": "late", "apart": "apart"}
    times = WriteTimes(session, session.why.latest())
    assert [times.cells(name)[1] for name in ("early", "late")] == ["9 as late", "9"]


def test_what_a_multicast_writes_without_naming_it_has_a_last_write() -> None:
    """The tile of the second row and column has its operands from others."""
    session = nasm.Session(
        "programs/tensix/noc/matmul_tiles.nasm", defines={"N": 2, "K": 1}, values=False
    )
    session.run(hashes=False)
    found = session.why.latest()
    assert found is not None
    lines = {name: str(wrote.by) for name, wrote in found.writes.items()}
    assert lines["a1_1"].startswith("1-2.noc0 pc 2, line 40")
    assert lines["b1_1"].startswith("2-1.noc1 pc 2, line 51")

"""The ports that engines have in common, and what an engine does about its own results."""

from __future__ import annotations

from nasm.base.source import Source
from nasm.debugger.session import Session

BESIDE = """\
.target {target}
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sbuf c f32[128, 512]
.sbuf x f32[128, 512]
.sbuf y f32[128, 512]
.sbuf z f32[128, 512]
.sem ready
@sync EventSemaphore $ready++
.for i in 0..{rounds}
@{first}  TensorTensor c, a, b, op=add
@{second} TensorTensor z, x, y, op=add
.end
"""


def ran(text: str, **options: str) -> Session:
    session = Session.load(Source("time", text), options=options)
    session.run()
    return session


def intervals(session: Session) -> dict[str, int]:
    """Ticks that every engine was busy."""
    return {q.engine: q.times(session.now)[0] for q in session.machine.scheduler.queues}


def test_vector_and_gpsimd_take_turns_at_sbuf_on_v2() -> None:
    session = ran(BESIDE.format(target="trn1", rounds=16, first="vector", second="gpsimd"))
    # Vector: 2 N cycles of 5 ticks; GpSimd: 150 + 2 N cycles of 4 ticks
    one, other = 2 * 512 * 5, (150 + 2 * 512) * 4
    assert (intervals(session)["vector"], intervals(session)["gpsimd"]) == (16 * one, 16 * other)
    drain = 70 * 4  # 50 ns of GpSimd, which has the last turn
    assert session.now == 16 * (one + other) + drain
    vector, gpsimd = (session.queue(e).times(session.now)[1] for e in ("vector", "gpsimd"))
    assert vector["port", None] == 15 * other
    assert gpsimd["port", None] == 16 * one


def test_they_do_not_from_v3_on_nor_do_vector_and_scalar_in_psum() -> None:
    session = ran(BESIDE.format(target="trn2", rounds=16, first="vector", second="gpsimd"))
    assert not any("port" in cause for q in session.machine.scheduler.queues for cause in q.waiting)


PSUM = """\
.target {target}
.psum p f32[128, 512]
.psum q f32[128, 512]
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
@vector Memset p, 1.0
@scalar Activation q, a, op=copy
@scalar Activation b, a, op=copy
@vector Memset a, 1.0
"""


def test_vector_and_scalar_take_turns_at_psum_on_v2() -> None:
    session = ran(PSUM.format(target="trn1"))
    starts = {(e.engine, e.pc): e.start for e in traced(PSUM.format(target="trn1"))}
    assert starts["vector", 0] == 0
    assert starts["scalar", 0] == 512 * 5  # until Vector has filled p
    assert starts["vector", 1] == 512 * 5  # in SBUF: no port in common with Scalar
    assert session.queue("scalar").waiting == {("port", None): 512 * 5}
    assert not {e for e in traced(PSUM.format(target="trn2")) if e.pc == 0 and e.start}


def traced(text: str) -> list:
    session = Session.load(Source("time", text))
    return session.step(count=100)


OWN = """\
.target trn2
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
@vector Memset a, 0.0
@vector Memset a, 1.0
@vector TensorCopy b, a
.expect b == {value}
"""


def test_an_engine_waits_for_its_own_results_unless_ordering_is_relaxed() -> None:
    held = ran(OWN.format(value=1))
    assert held.report().ok
    assert held.queue("vector").waiting.get(("data", None))
    text = OWN.replace(
        "@vector Memset a, 0.0", "@vector Memset a, 0.0\n@vector Memset b, 0.0\n" * 2
    )
    relaxed = ran(text.format(value=0), ordering="relaxed")
    assert not relaxed.queue("vector").waiting
    (hazard,) = relaxed.hazards
    assert hazard.code == "E0502"
    assert hazard.message == (
        "nothing orders vector pc 5 (TensorCopy), which reads a, and vector pc 4 (Memset), "
        "which writes it"
    )
    assert all(e.held for e in relaxed.report().expectations)


def test_with_waits_for_its_own_semaphore_both_readings_agree() -> None:
    text = """\
.target trn2
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem own
@vector Memset a, 1.0      $own++
@vector TensorCopy b, a    $own >= 1
.expect b == 1
"""
    reports = [ran(text, ordering=o).report() for o in ("interlock", "relaxed")]
    assert [r.ok for r in reports] == [True, True]
    assert reports[0].ticks == reports[1].ticks
    assert reports[0].memory_hash == reports[1].memory_hash

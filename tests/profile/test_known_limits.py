"""Six programs of which it is known what limits them: what the profile says, and what would help.

Where something would help, the program with that change is run, too: it takes as long as is said.
"""

from __future__ import annotations

import nasm
from nasm.analysis.profile.records import Profile
from nasm.debugger.session import Session

HEAD = """\
.target trn2
.const N = 16
.hbm X f32[N, 128, 2048] input = zeros
.hbm Y f32[N, 128, 2048] output
.sbuf w bf16[128, 128] = zeros
.sbuf m bf16[128, 512] = zeros
.sbuf b f32[128, 512] = zeros
.sbuf c f32[128, 512] = zeros
.sbuf d f32[128, 512] = zeros
.for i in 0..2
.sbuf x{i} f32[128, 2048]
.sbuf y{i} f32[128, 2048]
.psum p{i} f32[128, 512]
.end
.psum p f32[128, 512]
"""
STREAM = """\
@tensor LoadStationary w
.for r in 0..4 * N
@tensor MultiplyMoving p{r % 2}, m
.end
"""
LOADS = """\
.for r in 0..N
@sync DmaCopy x{r % 2}, X[r]  after load[r - 2] if r >= 2  post load[r]
.end
@sync .drain
"""
BUFFERS = """\
.for r in 0..N
@sync   DmaCopy x{r % 2}, X[r]  after made[r - WAY] if r >= WAY  post load[r]
@vector TensorScalar y{r % 2}, x{r % 2}, op0=add, operand0=1.0  after load[r],
        store[r - WAY] if r >= WAY  post made[r]
@gpsimd DmaCopy Y[r], y{r % 2}  after made[r]  post store[r]
.end
@gpsimd .drain
"""
SEQUENTIAL = """\
.for r in 0..N
@sync   DmaCopy x{r % 2}, X[r]
@vector TensorScalar y{r % 2}, x{r % 2}, op0=add, operand0=1.0
@gpsimd DmaCopy Y[r], y{r % 2}
.end
"""
ONE_BANK = """\
@tensor LoadStationary w
.for r in 0..4 * N
@tensor MultiplyMoving p, m  after copied[r - 1] if r >= 1  post made[r]
@vector TensorCopy c, p  after made[r]  post copied[r]
.end
"""
TWO_BANKS = ONE_BANK.replace("r - 1] if r >= 1", "r - 2] if r >= 2").replace("p, m", "p{r % 2}, m")
TWO_BANKS = TWO_BANKS.replace("c, p", "c, p{r % 2}")
TURNS = """\
.for r in 0..N
@vector TensorScalar c[:, 0:64], d[:, 0:64], op0=add,
        operand0=1.0  after back[r - 1] if r >= 1  post there[r]
@scalar Activation d[:, 0:64], c[:, 0:64], op=copy  after there[r]  post back[r]
.end
"""
TABLES = """\
.for r in 0..N
@scalar Activation c, b, op=exp
@scalar Activation d, b, op=sigmoid
.end
"""


def profile(text: str) -> Profile:
    session = Session(HEAD + text, profile=True, values=False)
    assert session.run(hashes=False).ok
    return session.profile(outcomes=session.what_if())


def saved(found: Profile) -> dict[str, int]:
    return {outcome.name: outcome.saved for outcome in found.outcomes if outcome.saved > 0}


def best(found: Profile) -> str:
    return found.outcomes[0].name


def test_a_stream_of_products_is_bound_by_tensor() -> None:
    found = profile(STREAM)
    assert found.verdict == "bound by Tensor at work: 100 % of the critical path"
    assert best(found) == "free tensor"
    assert not any("second buffer" in name or "waits" in name for name in saved(found))


def test_loads_alone_are_bound_by_dma() -> None:
    found = profile(LOADS)
    assert found.verdict.startswith("bound by DMA moving data: 9")
    assert best(found) == "free DMA"
    assert not any("second buffer" in name or "waits" in name for name in saved(found))


def test_a_double_buffer_that_waits_for_the_last_round_names_the_waits() -> None:
    slow, fast = profile(BUFFERS.replace("WAY", "1")), profile(BUFFERS.replace("WAY", "2"))
    lines = [HEAD.count("\n") + n for n in (2, 3)]
    name = f"no waits that nothing needs: lines {lines[0]} and {lines[1]}"
    assert slow.verdict.startswith("bound by DMA moving data: 7")
    assert best(slow) == "free DMA"
    assert abs(slow.ticks - saved(slow)[name] - fast.ticks) < 0.01 * fast.ticks
    assert not any("second buffer" in name or "waits" in name for name in saved(fast))


def test_a_product_and_its_copy_in_one_bank_need_a_second_buffer() -> None:
    one, two = profile(ONE_BANK), profile(TWO_BANKS)
    assert one.verdict == (
        "bound by a chain: Vector and Tensor take turns 64 times on the critical path "
        "and are idle for 61 % and 68 % of the run"
    )
    assert one.ticks - saved(one)["a second buffer for p"] == two.ticks < 0.5 * one.ticks
    assert not any("waits" in name for name in saved(one))
    assert all(its < 0.02 * two.ticks for name, its in saved(two).items() if "second" in name)


def test_engines_in_turns_are_a_chain_that_no_buffer_helps() -> None:
    found = profile(TURNS)
    assert found.verdict == (
        "bound by a chain: Scalar and Vector take turns 16 times on the critical path "
        "and are idle for 90 % and 87 % of the run"
    )
    assert not any("second buffer" in name or "waits" in name for name in saved(found))


def test_tables_that_are_loaded_in_turns_are_what_would_help() -> None:
    found = profile(TABLES)
    assert found.verdict == "bound by Scalar making its unit ready: 74 % of the critical path"
    assert best(found) == "free scalar"
    assert saved(found)["no table loads"] > 0.7 * found.ticks


def test_a_program_with_the_waits_that_are_found_for_it_has_none_too_many() -> None:
    session = Session(nasm.assemble(HEAD + SEQUENTIAL, autosync=True), profile=True, values=False)
    assert session.run(hashes=False).ok
    outcomes = saved(session.profile(outcomes=session.what_if()))
    assert not any("waits" in name for name in outcomes)

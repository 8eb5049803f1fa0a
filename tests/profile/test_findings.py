"""What is worth a warning: where it is, how often, what was found, and where the limit is."""

from __future__ import annotations

from nasm.analysis.profile.records import Finding
from nasm.debugger.session import Session

HEAD = """\
.target {target}
.hbm A f32[128, 1024] input = zeros
.hbm C f32[128, 1024] output
.sbuf a f32[128, 1024]
.sbuf b f32[128, 1024]
.psum p f32[128, 512] @ bank 0
.psum q f32[128, 512] @ bank 1
.sem s, t, u, v
"""


def findings(text: str, target: str = "trn2") -> dict[str, list[Finding]]:
    session = Session(HEAD.format(target=target) + text, profile=True)
    session.run()
    found: dict[str, list[Finding]] = {}
    for finding in session.profile().findings:
        found.setdefault(finding.problem.code, []).append(finding)
    return found


def line(finding: Finding) -> int:
    assert finding.problem.span is not None
    return finding.problem.span.line - HEAD.count("\n")


def test_descriptors_are_small_below_512_bytes() -> None:
    small = "@sync DmaCopy a[:, 0:127], A[:, 0:127] $s += 16\n"
    ((found,),) = findings(small).values()
    assert (found.problem.code, line(found)) == ("W0101", 1)
    assert (found.count, found.found, found.limit, found.unit) == (1, 508, 512, "bytes")
    assert findings(small.replace("127", "128")) == {}


def test_a_line_of_a_loop_is_reported_of_once_with_how_often_it_was() -> None:
    text = ".for i in 0..5\n@sync DmaCopy a[:, i : i + 2], A[:, i : i + 2] $s += 16\n.end\n"
    ((found,),) = findings(text).values()
    assert (found.problem.code, line(found), found.count, found.found) == ("W0101", 2, 5, 8)
    assert "5 transfers of 8 B a descriptor" in found.problem.message


def test_a_small_part_of_the_run_is_not_worth_a_warning() -> None:
    much = "@sync DmaCopy a, A $s += 16\n" * 60
    small = "@sync DmaCopy b[0:1, 0:2], A[0:1, 0:2] $s += 16\n"
    assert "W0101" in findings(small)
    assert findings(much + small) == {}


def test_few_engines_are_used_where_a_transfer_is_large_enough_for_all() -> None:
    text = "@sync DmaCopy a[0:64], A[0:64] $s += 16\n"
    ((found,),) = findings(text).values()
    assert (found.problem.code, found.found, found.limit) == ("W0102", 8, 16)
    assert findings(text.replace("64", "128")) == {}
    # 16 engines would have 512 bytes each: no more than a descriptor
    assert set(findings("@sync DmaCopy a[0:16, 0:128], A[0:16, 0:128] $s += 16\n")) == {"W0102"}
    assert findings("@sync DmaCopy a[0:15, 0:128], A[0:15, 0:128] $s += 16\n") == {}


HELD = """\
@gpsimd Memset a, 1.0 $s++
@vector Memset b, 1.0 $t++
@sync DmaCopy C, a $s >= 1
@sync DmaCopy C, b $t >= 1
"""


def test_a_head_that_waits_holds_back_the_ready_transfer_behind_it() -> None:
    found = findings(HELD)
    (held,) = found["W0103"]
    assert (line(held), held.count, held.unit, held.limit) == (3, 1, "percent", 1)
    # GpSimd: 150 + 1024 cycles of 4 ticks and 240 more; Vector: 820 cycles of 5, 56 cycles more;
    # both are seen 40 ns later
    ticks = (1174 * 4 + 240) - (820 * 5 + 56 * 5)
    session = Session(HEAD.format(target="trn2") + HELD, profile=True)
    total = session.run().ticks
    assert held.found == 100 * ticks / total


def test_a_transfer_that_is_not_ready_is_not_held_back() -> None:
    assert "W0103" not in findings(HELD.replace("C, b $t >= 1", "C, b $t >= 2"))


def test_a_transfer_without_a_wait_may_rely_on_the_head() -> None:
    assert "W0103" not in findings(HELD.replace("C, b $t >= 1", "C, b"))


def test_a_head_that_waits_for_its_own_result_is_not_reported_of() -> None:
    text = """\
@vector Memset a, 1.0 $s++
@scalar Activation b, a, op=copy $s >= 1
@scalar Activation a, b, op=copy
@scalar DmaCopy C, b $s >= 1
"""
    assert "W0103" not in findings(text)


def test_what_is_held_back_counts_from_when_the_head_is_next() -> None:
    # Sync issues a load before, for longer than Vector takes for 8 columns
    text = HELD.replace("@sync", "@sync DmaCopy b[0:1], A[0:1]\n@sync", 1)
    text = text.replace("Memset b,", "Memset b[:, 0:8],")
    session = Session(HEAD.format(target="trn2") + text, profile=True)
    total = session.run().ticks
    (held,) = (f for f in session.profile().findings if f.problem.code == "W0103")
    sync = next(e for e in session.profile().engines if e.engine == "sync")
    (wait,) = (stall for stall in sync.stalls if stall.by == "gpsimd")
    assert held.found == 100 * wait.ticks / total
    assert wait.ticks < 1174 * 4 + 240 + 192 - 400 * 4


def test_what_the_head_holds_back_is_no_transfer_here() -> None:
    assert "W0103" not in findings(HELD.replace("DmaCopy C, b $t", "EventSemaphore $t"))


BANKS = """\
.sbuf w bf16[128, 128]
.sbuf m bf16[128, 512]
@vector Memset w, 0.0 $u++
@vector Memset m, 0.0 $u++
@tensor LoadStationary w $u >= 2
@tensor MultiplyMoving p[:, 0:256], m[:, 0:256]
@vector Memset {bank}[:, 256:512], 0.0 $u >= 2
"""


def test_a_bank_that_two_engines_use_at_one_time_is_counted() -> None:
    (found,) = findings(BANKS.format(bank="p"))["W0105"]
    assert (found.count, found.found, found.limit) == (1, 1, 0)
    assert "psum bank 0" in found.problem.message
    assert "W0105" not in findings(BANKS.format(bank="q"))


def test_a_bank_that_two_engines_use_one_after_the_other_is_not() -> None:
    text = BANKS.format(bank="p").replace("$u >= 2\n@tensor M", "$u >= 3\n@tensor M")
    text = text.replace("0.0 $u >= 2", "0.0 $u >= 2 $u++")
    assert "W0105" not in findings(text)


TABLES = """\
@vector Memset a, 1.0 $s++
@scalar Activation b, a, op=exp $s >= 1
.for i in 0..{rounds}
@scalar Activation b, a, op=sigmoid
@scalar Activation b, a, op=exp
.end
"""


def test_tables_that_take_turns_are_reported_of() -> None:
    found = findings(TABLES.format(rounds=3))["W0104"]
    assert [(line(f), f.count) for f in found] == [(4, 3), (5, 3)]
    session = Session(HEAD.format(target="trn2") + TABLES.format(rounds=3), profile=True)
    total = session.run().ticks
    loads = 3 * -(-1283 * 1200 // 1000) * 4  # whole cycles of Scalar
    assert [f.found for f in found] == [100 * loads / total] * 2


def test_a_table_that_is_loaded_once_in_a_line_is_not() -> None:
    assert "W0104" not in findings(TABLES.format(rounds=1))


def test_what_is_made_ready_is_active_and_drawn() -> None:
    session = Session(HEAD.format(target="trn2") + TABLES.format(rounds=3), profile=True)
    session.run()
    load = -(-1283 * 1200 // 1000) * 4
    scalar = next(e for e in session.profile().engines if e.engine == "scalar")
    strip = next(s for s in session.timeline(session.now).strips if s.name == "scalar")
    assert strip.states.count("made ready") == 6 * load
    assert strip.states.count("busy") == scalar.busy - 6 * load
    # each of seven takes 1024 cycles, and its results come while the next table is loaded
    drain = scalar.active - (7 * 1024 * 4 + 6 * load)
    assert 0 < drain < load

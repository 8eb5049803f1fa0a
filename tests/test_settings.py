"""The record of settings, and the functions that take it or its keywords."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.runs import settings
from nasm.runs.settings import RunSettings

MATMUL = Path(__file__).parents[1] / "programs" / "matmul.nasm"
TEXT = ".target trn1\n@vector Nop\n"
KINDS = {name: kind for name, kind in vars(settings).items() if name.endswith("Keywords")}


def test_every_keyword_is_a_field_of_the_record_of_the_same_type() -> None:
    types = {field.name: field.type for field in fields(RunSettings)}
    used = set()
    for name, kind in KINDS.items():
        for keyword, annotation in kind.__annotations__.items():
            assert annotation.__forward_arg__ == types[keyword], (name, keyword)
            used.add(keyword)
    assert used == set(types)


def test_the_docstring_describes_every_setting_once() -> None:
    said = inspect.getdoc(RunSettings) or ""
    for field in fields(RunSettings):
        alone = field.name == "progress"
        head = f"``{field.name}`` is" if alone else f"\n* ``{field.name}``:"
        assert said.count(head) == 1, field.name


@pytest.mark.parametrize(
    "call",
    [nasm.run, nasm.assemble, nasm.check, nasm.isolated, nasm.Session, nasm.Session.load],
    ids=lambda call: call.__qualname__,
)
def test_a_misspelt_setting_names_the_closest(call: Any) -> None:
    with pytest.raises(TypeError, match=r"has no setting 'targte': did you mean 'target'\?"):
        call(TEXT, targte="trn2")
    with pytest.raises(TypeError, match=r"takes a nasm\.RunSettings, found dict"):
        call(TEXT, settings={"target": "trn2"})


def test_a_record_and_keywords_say_the_same() -> None:
    made = RunSettings(target="trn2", values=False, strict=True, allow="E0502")
    by_record, by_keyword = (
        nasm.run(TEXT, **given)
        for given in (
            {"settings": made},
            {"target": "trn2", "values": False, "strict": True, "allow": ["E0502"]},
        )
    )
    assert by_record.report == by_keyword.report
    assert by_record.report.target == "trn2"
    assert nasm.run(TEXT, settings=made, target="trn1").report.target == "trn1"
    session = nasm.Session(TEXT, settings=made)
    assert (session.values, session.policy.strict) == (False, True)
    assert nasm.check(TEXT, settings=made).ended == "finished"
    assert nasm.assemble(TEXT, settings=made).generation.spellings[0] == "trn2"
    assert nasm.Session.empty(settings=made).program.generation.spellings[0] == "trn2"


def test_a_record_that_says_how_to_assemble_is_refused_for_a_program() -> None:
    program = nasm.assemble(MATMUL)
    for call in (nasm.run, nasm.check, nasm.Session):
        for made in (RunSettings(target="trn2"), RunSettings(autosync=True)):
            with pytest.raises(nasm.Failure) as caught:
                call(program, settings=made)
            assert caught.value.problems[0].code == "E0810"


def test_a_record_refuses_numbers_that_mean_nothing_and_keeps_iterators() -> None:
    for name in ("max_cycles", "max_instructions", "keep", "memory"):
        with pytest.raises(nasm.Refused) as caught:
            RunSettings(**{name: -1})
        assert caught.value.problems[0].code == "E0822"
    with pytest.raises(ValueError, match="deadline"):
        RunSettings(deadline=0)
    made = RunSettings(allow=iter(["E0502"]), include="lib", max_cycles=2.0)  # type: ignore[arg-type]
    assert (made.allow, made.include, made.max_cycles) == (("E0502",), ("lib",), 2)
    assert pickle.loads(pickle.dumps(made)) == made


def test_any_way_to_run_a_text_finds_its_waits() -> None:
    text = (
        ".target trn2\n.hbm x f32[128, 4] input = iota\n.sbuf t f32[128, 4]\n"
        ".hbm y f32[128, 4] output\n@sync DmaCopy t, x\n@sync DmaCopy y, t\n"
    )
    assert not nasm.run(text).ok
    assert nasm.run(text, autosync=True).ok
    assert nasm.Session(text, autosync=True).run().ok
    assert nasm.check(text, autosync=True).ended == "finished"


def test_without_hashes_a_report_is_the_same_but_for_them() -> None:
    with_them, without = (nasm.run(TEXT, hashes=hashes).report for hashes in (True, False))
    assert len(with_them.trace_hash) == len(with_them.memory_hash) == 32
    assert without == replace(with_them, trace_hash="", memory_hash="")

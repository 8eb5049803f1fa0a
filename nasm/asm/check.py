"""Checks of instructions: availability, updates, labels, and every rule of every form."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.problems import Problem, Refused, did_you_mean, listed
from nasm.spec.instruction import Instruction, Rule, Site
from nasm.spec.program import Form, Program, Update
from nasm.spec.target import Generation, Target


def available(target: Target, generation: Generation, row: Instruction, engine: str) -> None:
    """Whether an engine of a generation has an instruction; raises Refused."""
    if not target.available(row, generation):
        have = [g.name for g in target.generations if target.available(row, g)]
        raise Refused(
            "E0408", f"{row.name} is not on {generation.summary}; {listed(have, 'and')} have it"
        )
    if engine not in row.engines:
        raise Refused(
            "E0408",
            f"{row.name} does not run on {engine}; {listed('@' + e for e in row.engines)} has it",
        )
    since = row.engine_since.get(engine)
    order = {g.name: g.order for g in target.generations}
    if since is not None and generation.order < order[since]:
        raise Refused(
            "E0408",
            f"{row.name} runs on {engine} from {since} on; this is {generation.summary}",
            f"here {listed('@' + e for e in row.engines if e not in row.engine_since)} has it",
        )


def update_fits(row: Instruction, update: Update | None) -> None:
    """Whether an instruction may make this update; raises Refused."""
    if not row.posts or update is None:
        return
    if (update.op, update.value, update.at_read) != ("+", row.posts, False):
        raise Refused(
            "E0314",
            f"the update of {row.name} is not '+= {row.posts}'",
            f"each of the {row.posts} DMA engines posts 1 when its share has landed: write "
            f"'+= {row.posts}', and wait for a multiple of {row.posts}",
        )


def forms(program: Program, uses: Iterable[tuple[int, int, str]]) -> list[Problem]:
    """Every rule on every form, reported where the form is first used."""
    problems: list[Problem] = []
    for form, (queue, pc, engine) in zip(program.forms, uses, strict=True):
        if queue >= 0:
            problems += _broken(program, form, queue, pc, engine)
    return problems


def _broken(program: Program, form: Form, queue: int, pc: int, engine: str) -> list[Problem]:
    row = form.row
    site = Site.of(row, form.operands, engine, program.generation)
    found: list[Problem] = []
    for rule in (*program.target.rules, *row.rules):
        said = rule.check(site)
        if said is not None:
            found.append(_problem(row, rule, said, program, queue, pc))
            if rule.code in _SHAPES:
                break
    return found


_SHAPES = ("E0404",)
"""After one of these the other rules of a row would only repeat what is wrong."""


def _problem(
    row: Instruction, rule: Rule, said: str, program: Program, queue: int, pc: int
) -> Problem:
    quoted = f"rule: {rule.sentence} ({rule.source})"
    hint = f"{rule.hint}\n  {quoted}" if rule.hint else quoted
    return Problem(
        rule.code, f"{row.name}: {said}", program.span(queue, pc), hint, warning=rule.warning
    )


def labels(program: Program) -> list[Problem]:
    """Labels that branches name and their queue does not have."""
    problems: list[Problem] = []
    targets = {n: name for n, form in enumerate(program.forms) for name in _targets(form)}
    if not targets:
        return problems
    for index, lines in enumerate(program.queues):
        for pc, number in enumerate(lines.forms):
            name = targets.get(number)
            if name is not None and name not in lines.labels:
                problems.append(_no_label(program, index, pc, name))
    return problems


def _targets(form: Form) -> list[str]:
    return [
        str(value)
        for operand, value in zip(form.row.operands, form.operands, strict=True)
        if operand.kind.names == "label"
    ]


def _no_label(program: Program, queue: int, pc: int, name: str) -> Problem:
    lines = program.queues[queue]
    elsewhere = [q.engine for q in program.queues if name in q.labels]
    hint = did_you_mean(name, lines.labels)
    if elsewhere:
        hint = f"it stands in @{elsewhere[0]}; labels belong to the queue they stand in"
    return Problem(
        "E0207", f"no label '{name}' in @{lines.engine}", program.span(queue, pc), hint
    )

"""Who has what this engine or this machine lacks: other engines of it, other generations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nasm.problems import Refused, listed
from nasm.spec.generation import Generation
from nasm.spec.instruction import Context, Row, Rule
from nasm.spec.shown import Symbol
from nasm.spec.target import Target


def available(target: Target, generation: Generation, row: Row, engine: str) -> None:
    """Whether an engine of a generation has an instruction; raises Refused."""
    here = target.engines(row, generation)
    if engine in here:
        return
    said = f"{row.name} does not run on @{engine}"
    if not here:
        said = f"{row.name} is not on {generation.summary}"
    elif engine in row.engines:
        said += f" of {generation.summary}"
    everywhere = {g: target.engines(row, g) for g in target.generations}
    raise Refused("E0408", said, _having(everywhere, generation, engine, "runs on"))


def legal(target: Target, rule: Rule, context: Context) -> str:
    """Where an instruction would keep a rule that it breaks here; empty if nowhere."""
    found = {}
    for generation in target.generations:
        with_options = replace(generation, options=context.generation.options)
        found[generation] = tuple(
            engine
            for engine in target.engines(context.row, generation)
            if rule.check(replace(context, engine=engine, generation=with_options)) is None
        )
    return _having(found, context.generation, context.engine, "is legal on")


def _having(
    having: Mapping[Generation, tuple[str, ...]], here: Generation, engine: str, verb: str
) -> str:
    """Engines by generation as a phrase: 'it is legal on @scalar, and on NeuronCore-v3 (Trn2)'.

    Other generations stand alone if the same engine has it there.
    """
    places = []
    at_home = next((engines for g, engines in having.items() if g.name == here.name), ())
    if at_home:
        places.append(listed((f"@{e}" for e in at_home), "and"))
    others = {g.summary: e for g, e in having.items() if e and g.name != here.name}
    same = [g for g, engines in others.items() if engine in engines]
    if same:
        places.append(listed(same, "and"))
    elif not at_home:
        places += [f"@{'/@'.join(engines)} of {g}" for g, engines in others.items()]
    return f"it {verb} {', and on '.join(places)}" if places else ""


def taking(target: Target, row: Row, operand: str, word: object) -> str:
    """The instructions of which an operand of this name takes a word; empty if none does."""
    if not isinstance(word, Symbol | str):
        return ""
    names = [
        other.name
        for other in target.isa
        if other is not row
        and operand in other.position
        and word in other.operand(operand).kind.words
    ]
    return f"{listed(names, 'and')} take{'s' * (len(names) == 1)} it" if names else ""

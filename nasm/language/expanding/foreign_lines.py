"""Lines that are made of text in a vendor's language: functions of files, or statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.isa.foreign import ForeignItem, ForeignMade, ForeignText, WrittenSettings
from nasm.isa.words import DATA, VALUE
from nasm.language.expanding.declare import whole
from nasm.language.expanding.including import Includes
from nasm.language.expanding.scope import Scope
from nasm.language.expanding.set_lines import pusher_of, written
from nasm.language.text import tree
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.settings import settings_of

FILES = "files"
"""The option that names more files, which declare what a function uses."""

_WRAPPED = "text"


def foreign_lines(
    statement: tree.ForeignLine,
    queue: int,
    scope: Scope,
    builder: ProgramBuilder,
    includes: Includes,
) -> list[tuple[int, Made]]:
    """What a line in another language makes on a queue, after its settings, with the queue of each.

    Raises Failure.
    """
    language = _language(statement, scope, builder)
    given = {o.name: _given(o.value, scope) for o in statement.options if o.name != FILES}
    function, sources = _sources(statement, language, scope, includes)
    place = scope.span(statement)
    try:
        found = language.read(builder.generation, function, sources, given)
    except Failure as failure:
        if function != _WRAPPED:
            raise
        place = scope.span(statement.text)
        raise Failure([replace(p, span=place) for p in failure.problems]) from None
    except Refused as refused:
        raise Failure(refused.at(place)) from None
    try:
        items = _set(found, builder.program.queues[queue].engine, scope, builder, statement)
        return [made for one in items for made in _made(one, queue, scope, builder)]
    except Refused as refused:
        raise Failure(refused.at(place)) from None


def _language(statement: tree.ForeignLine, scope: Scope, builder: ProgramBuilder) -> ForeignText:
    known = builder.target.foreign
    found = known.get(statement.language.name)
    if found is None:
        message = f"{builder.target.summary} takes no text of '.{statement.language.name}'"
        hint = did_you_mean(statement.language.name, known)
        hint = hint or (f"there is {listed(f'.{name}' for name in known)}" if known else "")
        raise Failure(Problem("E0101", message, scope.span(statement.language), hint))
    return found


def _sources(
    statement: tree.ForeignLine, language: ForeignText, scope: Scope, includes: Includes
) -> tuple[str, list[Source]]:
    """The function that is meant, and the texts that declare it and what it uses."""
    place, text = scope.span(statement.text), statement.text.value
    others = [
        includes.foreign(literal.value, scope.source, scope.span(literal), language.endings)
        for option in statement.options
        if option.name == FILES
        for literal in _literals(option.value, scope)
    ]
    if ";" in text or "{" in text:
        return _WRAPPED, [Source(scope.source.name, language.wrapped(text)), *others]
    path, _, function = text.rpartition(":")
    if not path or not function:
        message = f"'{text}' is neither a function of a file nor statements"
        hint = f'write "file{language.endings[0]}:function", or statements, each with its ;'
        raise Failure(Problem("E0301", message, place, hint))
    return function, [includes.foreign(path, scope.source, place, language.endings), *others]


def _given(node: tree.ExpressionNode, scope: Scope) -> int | str:
    """An integer, or the text of an expression in the other language."""
    return node.value if isinstance(node, tree.StringLiteral) else whole(node, scope)


def _literals(node: tree.ExpressionNode, scope: Scope) -> Iterator[tree.StringLiteral]:
    for one in node.items if isinstance(node, tree.List) else (node,):
        if not isinstance(one, tree.StringLiteral):
            message = f"{FILES}= takes the name of a file, or a list of names"
            raise Failure(Problem("E0301", message, scope.span(one)))
        yield one


def _set(
    found: ForeignMade,
    engine: str,
    scope: Scope,
    builder: ProgramBuilder,
    statement: tree.ForeignLine,
) -> Sequence[ForeignItem]:
    """Set what holds from the start of the run, unless the same was set by a line like this.

    Returns what has to be made. If others were set, or some were written since, they are written
    before the rest.
    """
    known, core = settings_of(builder.target, builder.generation), scope.core
    held = {
        s.name: s.value for s in builder.program.settings if (s.core, s.engine) == (core, engine)
    }
    taken = [
        name
        for name, value in found.settings.items()
        for other in held
        if known.named(other).shares(known.named(name)) and (other, held[other]) != (name, value)
    ]
    pusher = pusher_of(engine, builder)
    if found.settings and pusher and (taken or builder.has_queue(pusher, core)):
        return [WrittenSettings(found.settings, {"wait": 1}), *found.items]
    for name, value in found.settings.items():
        if held.get(name) != value:
            builder.set(name, value, engine, core, scope.span(statement))
    return found.items


def _made(
    one: ForeignItem, queue: int, scope: Scope, builder: ProgramBuilder
) -> Iterator[tuple[int, Made]]:
    if isinstance(one, int):
        words = builder.target.words(builder.generation)
        assert words is not None
        row = words.data if words.reason(one) else words.decode(one)[0]
        named: dict[str, object] = {VALUE: one, DATA: True}
        if row is not words.data:
            assert row.encoding is not None
            values = row.encoding.decode(one)
            named = {f.name: v for f, v in zip(row.encoding.operands, values, strict=True)}
        yield queue, builder.make(queue, row, [], named, None, None)
        return
    known = settings_of(builder.target, builder.generation)
    given = [(setting := known.named(n), setting.accept(v)) for n, v in one.values.items()]
    yield from written(given, one.options, queue, scope.core, builder)

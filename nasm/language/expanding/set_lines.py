"""Lines that set what cores hold: before the run, and by instructions."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.isa.settings import MISPLACED, Setting, Settings, Values
from nasm.language.expanding.declare import whole
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.instruction_lines import compile_line
from nasm.language.expanding.macro_arguments import WordArgument
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.settings import settings_of


def setting_of(node: tree.Name | tree.Template, scope: Scope, builder: ProgramBuilder) -> Setting:
    """The setting that a line names; raises Failure."""
    try:
        return settings_of(builder.target, builder.generation).named(name_of(node, scope))
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None


def assign(
    statement: tree.SettingLine,
    setting: Setting,
    engine: str,
    scope: Scope,
    builder: ProgramBuilder,
) -> None:
    """``.cfg NAME = value``, of a queue if an engine is given; raises Failure."""
    value: object
    at: tree.ExpressionNode = statement.name
    if statement.instruction is not None:
        value = _word(statement.instruction, setting, engine, scope, builder)
    else:
        assert statement.value is not None
        value = value_of(statement.value, setting, scope)
    try:
        builder.set(setting.name, value, engine, scope.core, scope.span(statement))
    except Refused as refused:
        if refused.code == "E0301" and statement.value is not None:
            at = statement.value
        raise Failure(refused.at(scope.span(at))) from None


def value_of(node: tree.ExpressionNode, setting: Setting, scope: Scope) -> object:
    """What a setting is given: one of its words, or an integer."""
    if isinstance(node, tree.Name):
        if node.name in setting.words:
            return node.name
        held = scope.values.get(node.name)
        if setting.words and isinstance(held, WordArgument):
            return held.name
        if setting.words and held is None:
            return node.name  # a misspelt word is the setting's to refuse
    if setting.words and not isinstance(node, tree.NumberLiteral):
        return _word_of(evaluate(node, scope), setting)
    return whole(node, scope)


def _word_of(found: object, setting: Setting) -> object:
    """What a constant means for a setting with words: of a dtype that word which is one of them."""
    if isinstance(found, DType):
        names = (found.name, *found.aliases)
        return next((name for name in names if name in setting.words), found.name)
    return getattr(found, "name", found)


def _word(
    line: tree.InstructionLine, setting: Setting, engine: str, scope: Scope, builder: ProgramBuilder
) -> int:
    """The word of the instruction that a setting is given."""
    words, place = builder.target.words(builder.generation), scope.span(line)
    if not setting.instruction or words is None:
        message = f"{setting.name} takes no instruction: it is {setting.describe()}"
        raise Failure(Problem(MISPLACED, message, place, f"write .cfg {setting.name} = value"))
    compiled = compile_line(line, scope, builder)
    row, operands = compiled.operands(scope, builder, builder.queue(engine, scope.core))
    word = words.encode(row, operands)
    reason = "" if row is words.data else words.reason(word)
    if reason:
        raise Failure(Problem("E0323", reason, place))
    return word


def writes(
    statement: tree.WriteLine, queue: int, scope: Scope, builder: ProgramBuilder
) -> list[tuple[int, Made]]:
    """The instructions that write settings while a queue runs, each with its queue.

    What its engine does not have is one of the engine that pushes its instructions. Raises Failure.
    """
    engine = builder.program.queues[queue].engine
    values = [_given(name, node, engine, scope, builder) for name, node in statement.items]
    known, at = settings_of(builder.target, builder.generation), scope.span(statement)
    if known.written is None:
        message = f"{builder.target.summary} has no instructions that write settings"
        raise Failure(Problem(MISPLACED, message, at))
    try:
        return written(values, _options(statement, known, scope), queue, scope.core, builder)
    except Refused as refused:
        raise Failure(refused.at(at)) from None


def written(
    values: Values, options: Mapping[str, int], queue: int, core: int, builder: ProgramBuilder
) -> list[tuple[int, Made]]:
    """The instructions that write settings of a queue, each with its own; raises Refused."""
    known = settings_of(builder.target, builder.generation)
    assert known.written is not None
    engine, made = builder.program.queues[queue].engine, []
    pusher = pusher_of(engine, builder)
    for mnemonic, operands in known.written(values, options):
        row, whose = builder.row(mnemonic), queue
        if engine not in row.engines and pusher in row.engines:
            whose = builder.queue(pusher, core)
        made.append((whose, builder.make(whose, row, [], operands, None, None)))
    return made


def pusher_of(engine: str, builder: ProgramBuilder) -> str:
    """The engine that pushes the instructions of one; empty if there is none."""
    return next((e.name for e in builder.generation.engines if e.pushes == engine), "")


def _given(
    name: tree.Name | tree.Template,
    node: tree.ExpressionNode | tree.InstructionLine,
    engine: str,
    scope: Scope,
    builder: ProgramBuilder,
) -> tuple[Setting, int]:
    setting = setting_of(name, scope, builder)
    if isinstance(node, tree.InstructionLine):
        return setting, _word(node, setting, engine, scope, builder)
    try:
        return setting, setting.accept(value_of(node, setting, scope))
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None


def _options(statement: tree.WriteLine, known: Settings, scope: Scope) -> dict[str, int]:
    found: dict[str, int] = {}
    for option in statement.options:
        if option.name not in known.options or option.name in found:
            meant = did_you_mean(option.name, known.options)
            hint = meant or f"it takes {listed(known.options, 'and')}"
            wrong = "is given twice" if option.name in found else "is no option of .write"
            raise Failure(Problem("E0309", f"'{option.name}' {wrong}", scope.span(option), hint))
        found[option.name] = whole(option.value, scope)
    return found

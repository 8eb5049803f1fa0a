"""Declarations: tensors with their places and initialisers, semaphores, prepared transfers."""

from __future__ import annotations

from nasm.base import dtypes
from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Problem, Refused, did_you_mean
from nasm.language.expanding.affine import refuse
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.fractions import as_integer
from nasm.language.expanding.functions import Value
from nasm.language.expanding.macro_arguments import CounterArgument, WordArgument
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.program.arguments import DRAWS, FILLS, ROLES, option_fits
from nasm.program.builder import ProgramBuilder
from nasm.program.notes import another, declared_note
from nasm.views.tensor import Tensor
from nasm.views.value_text import value_text
from nasm.views.view import View


def whole(node: tree.ExpressionNode, scope: Scope) -> int:
    """The value of an expression that must be an integer."""
    value = evaluate(node, scope)
    if isinstance(value, bool) or not isinstance(value, int):
        known(value, "an integer here", node, scope)
        message = f"wanted an integer, found {value_text(value)}"
        hint = as_integer(value, node, scope)
        raise Failure(Problem("E0210", message, scope.span(node), hint))
    return value


def size_range(statement: tree.Param, scope: Scope) -> tuple[int, int | None, int | None]:
    """The first value of a ``.param``, its last and its step, if there are."""
    nodes = statement.items[0].value, statement.stop, statement.step
    first, last, step = (None if node is None else whole(node, scope) for node in nodes)
    assert first is not None
    return first, last, step


def known(value: object, what: str, node: tree.ExpressionNode, scope: Scope) -> None:
    """Refuse what is known at run time alone, at its place."""
    try:
        refuse(value, what)
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None


def tensor(statement: tree.TensorLine, scope: Scope, builder: ProgramBuilder) -> None:
    """``.sbuf t bf16[128, 512] @ P:B`` and its like."""
    home, name = _fresh(statement.name, scope)
    if statement.tiles is None:
        made = _tensor(statement, name, home, scope, builder)
        if scope.expansion is not None:
            _keep(statement.name, name, View.whole(made), scope)
        return
    place = scope.span(statement.name)
    if home.expansion is None and name in builder.declared:
        notes = declared_note(name, builder.declared[name])
        raise Failure(Problem("E0202", f"'{name}' is already declared", place, "", notes))
    if statement.place is not None:
        message = "the tiles of an array are placed automatically"
        hint = "declare each by a name of its own to choose its place"
        raise Failure(Problem("E0310", message, scope.span(statement.place[1]), hint))
    count = _axis(statement.tiles, scope, "how many tiles there are")
    tiles: list[object] = []
    for number in range(count):
        made = _tensor(statement, f"{name}{number}", home, scope, builder)
        tiles.append(View.whole(made))
    for each in scope.homes(statement.name):
        each.keeps(name, tiles, place)


def _tensor(
    statement: tree.TensorLine, name: str, home: Scope, scope: Scope, builder: ProgramBuilder
) -> Tensor:
    """One tensor of a declaration, by its name."""
    place = scope.span(statement.name)
    role, arrangement = _words(statement, builder)
    dtype = _dtype(statement.dtype, scope)
    shape = [_axis(n, scope, "the size of an axis") for n in statement.shape]
    partition, offset, bank = _place(statement, scope, builder)
    init = initialiser(statement.init, scope) if statement.init is not None else None
    try:
        return builder.tensor(
            statement.space.name,
            _in_program(name, home, builder),
            dtype,
            shape,
            role=role.name if role is not None else "",
            init=init,
            partition=partition,
            offset=offset,
            bank=bank,
            core=scope.core,
            span=place,
            arrangement=arrangement.name if arrangement is not None else "",
        )
    except Refused as refused:
        swapped = isinstance(dtype, str) and dtypes.find(name) is not None
        if refused.code == "E0205" and swapped:
            refused = _swapped(statement, name, scope)
        written = {
            "E0204": statement.space,
            "E0205": statement.dtype,
            "E0216": role,
            "E0217": statement.init,
            "E0246": arrangement,
        }
        at = written.get(refused.code) or statement.name
        raise Failure(refused.at(scope.span(at))) from None


def _swapped(statement: tree.TensorLine, name: str, scope: Scope) -> Refused:
    """The error for a dtype before the name."""
    shape = ", ".join(scope.span(size).text for size in statement.shape)
    other = scope.span(statement.dtype).text
    hint = f"write '.{statement.space.name} {other} {name}[{shape}]'"
    return Refused("E0205", f"the dtype comes after the name: no dtype '{other}'", hint)


def _fresh(node: tree.Name | tree.Template, scope: Scope) -> tuple[Scope, str]:
    """Where a name is declared, which no constant has; the builder knows of all others."""
    name = name_of(node, scope)
    home = scope.home(node)
    if home.taken(name):
        notes = declared_note(name, home.places.get(name))
        hint = another(name, scope.span(node), home.places.get(name))
        raise Failure(
            Refused("E0202", f"'{name}' is already declared", hint, notes).at(scope.span(node))
        )
    home.forget(name)
    return home, name


def _in_program(name: str, home: Scope, builder: ProgramBuilder) -> str:
    """What the program calls it: in an expansion a name that nothing else has."""
    if home.expansion is None:
        return name
    made = home.in_program(name)
    while made in builder.declared:
        made += "_"
    return made


def _keep(node: tree.Name | tree.Template, name: str, value: Value, scope: Scope) -> None:
    """Let macros know what a name means there; the file's names are the program's."""
    for home in scope.homes(node):
        if home.expansion is not None:
            home.keeps(name, value, scope.span(node))


def _dtype(node: tree.Name | tree.Template, scope: Scope) -> DType | str:
    """The dtype that is written, or what a constant of that name holds if it is none."""
    name = name_of(node, scope)
    known = dtypes.find(name)
    if known is not None:
        return known
    held = scope.values.get(name)
    if held is None:
        scope.undeclared.silence_named(name)
        return name
    if isinstance(held, DType | str):
        return held
    if isinstance(held, WordArgument):
        return held.name
    message = f"'{name}' is no dtype: it is {value_text(held)}"
    raise Failure(Problem("E0205", message, scope.span(node)))


def view(statement: tree.ViewLine, scope: Scope, builder: ProgramBuilder) -> None:
    """``.view sorted = xs[0:64]``."""
    home, name = _fresh(statement.name, scope)
    place = scope.span(statement.name)
    if home.expansion is None and name in builder.declared:
        notes = declared_note(name, builder.declared[name])
        raise Failure(Problem("E0202", f"'{name}' is already declared", place, "", notes))
    value = _view(statement.value, scope)
    for each in scope.homes(statement.name):
        each.declare(name, value, place)


def _words(
    statement: tree.TensorLine, builder: ProgramBuilder
) -> tuple[tree.Name | None, tree.Name | None]:
    """Role and arrangement: a word alone is what the target knows it as."""
    role, arrangement = statement.role, statement.arrangement
    known = [a.name for a in builder.target.arrangements]
    if role is not None and role.name not in ROLES and role.name in known:
        return None, role
    return role, arrangement


def _axis(node: tree.ExpressionNode, scope: Scope, what: str) -> int:
    size = evaluate(node, scope)
    if type(size) is not int or size < 1:
        known(size, what, node, scope)
        message = f"{what} is an integer of at least 1, not {value_text(size)}"
        hint = as_integer(size, node, scope)
        raise Failure(Problem("E0304", message, scope.span(node), hint))
    return size


def _place(
    statement: tree.TensorLine, scope: Scope, builder: ProgramBuilder
) -> tuple[int | None, int | None, int | None]:
    """Partition, byte and bank that a declaration chooses."""
    if statement.place is None:
        return None, None, None
    how, first, second = statement.place
    if how == "bank":
        return None, None, whole(first, scope)
    if how == "byte":
        memory = builder.generation.memories.get(statement.space.name)
        if memory is not None and memory.partitions:
            text = scope.span(first).text
            message = f"a place in {memory.name} names a partition and a byte, found '{text}' alone"
            hint = f"write '@ 0:{text}'"
            if text.startswith("bank"):
                hint = "a place is written '@ partition:byte' or '@ bank number'"
            raise Failure(Problem("E0310", message, scope.span(first), hint))
        return None, whole(first, scope), None
    assert second is not None
    return whole(first, scope), whole(second, scope), None


def initialiser(node: tree.ExpressionNode, scope: Scope) -> tuple[object, ...] | ArrayFile:
    """An initialiser as data: ``("random", 1)``, ``("list", …)``, or a file."""
    if isinstance(node, tree.Name) and node.name in FILLS:
        return (node.name,)
    if isinstance(node, tree.FunctionCall) and node.function.name in DRAWS:
        return (node.function.name, _seed(node, scope))
    if not isinstance(node, tree.Name | tree.FunctionCall) or _is_value_name(node, scope):
        value = evaluate(node, scope)
        known(value, "an initial value", node, scope)
        if isinstance(value, list):
            return ("list", value)
        if isinstance(value, str):
            return _file(value, node, scope)
    name = node.name if isinstance(node, tree.Name) else ""
    name = node.function.name if isinstance(node, tree.FunctionCall) else name
    message = f"no initialiser '{name}'" if name else "this is not an initialiser"
    hint = "an initialiser is zeros, iota, random(seed=1), normal(seed=1), a file or a list"
    close = did_you_mean(name, (*FILLS, *DRAWS)) if name else ""
    raise Failure(Problem("E0217", message, scope.span(node), close or hint))


def _is_value_name(node: tree.ExpressionNode, scope: Scope) -> bool:
    """Whether it is the name of a constant or a parameter."""
    return isinstance(node, tree.Name) and node.name in scope.values


def _file(name: str, node: tree.ExpressionNode, scope: Scope) -> ArrayFile:
    file = ArrayFile.written(name, scope.source.name)
    if file is None:
        message = f'"{name}" is not an array file'
        raise Failure(Problem("E0217", message, scope.span(node), SPELLING))
    return file


def _seed(node: tree.FunctionCall, scope: Scope) -> int:
    seed: object = 0
    for argument in node.arguments:
        if isinstance(argument, tree.NamedArgument) and argument.name != "seed":
            raise Failure(
                Problem(
                    "E0217",
                    f"{node.function.name} takes no '{argument.name}'",
                    scope.span(argument),
                    f"it is written {node.function.name}(seed=1)",
                )
            )
        seed = evaluate(
            argument.value if isinstance(argument, tree.NamedArgument) else argument, scope
        )
        if type(seed) is not int:
            known(seed, "a seed", argument, scope)
    if type(seed) is not int or seed < 0:
        raise Failure(
            Problem(
                "E0217",
                f"a seed is an integer of at least 0, found {value_text(seed)}",
                scope.span(node),
            )
        )
    return seed


def semaphores(statement: tree.SemLine, scope: Scope, builder: ProgramBuilder) -> None:
    """``.sem a, b = 7``, or ``.event e``."""
    problems: list[Problem] = []
    for name, number in statement.items:
        place = scope.span(name)
        try:
            wanted = None if number is None else whole(number, scope)
            home, local = _fresh(name, scope)
            event = statement.kind == "event"
            made = _in_program(local, home, builder)
            builder.semaphore(made, wanted, place, core=scope.core, event=event)
            table = builder.program.events if event else builder.program.semaphores
            _keep(name, local, CounterArgument(made, table[made]), scope)
        except Refused as refused:
            problems.append(refused.at(place))
            scope.undeclared.add_name(name)
        except Failure as failure:
            problems += failure.problems
            scope.undeclared.add_name(name)
    if problems:
        raise Failure(problems)


def transfer(statement: tree.DmaBlock, scope: Scope, builder: ProgramBuilder) -> None:
    """``.dma name queue=Q … .end``."""
    moves = [(_view(dst, scope), _view(src, scope)) for dst, src in statement.moves]
    if not moves:
        raise Failure(())  # the parser has said so
    options: dict[str, object] = {}
    for option in statement.options:
        try:
            options[option.name] = value = whole(option.value, scope)
            option_fits(builder.target, builder.generation, option.name, value)
        except Refused as refused:
            raise Failure(refused.at(scope.span(option))) from None
    home, name = _fresh(statement.name, scope)
    place = scope.span(statement.name)
    try:
        made = builder.transfer(_in_program(name, home, builder), moves, options, place)
    except Refused as refused:
        raise Failure(refused.at(place)) from None
    _keep(statement.name, name, made, scope)


def _view(node: tree.ExpressionNode, scope: Scope) -> View:
    value = evaluate(node, scope)
    if not isinstance(value, View):
        raise Failure(
            Problem("E0301", f"wanted a tensor, found {value_text(value)}", scope.span(node))
        )
    return value

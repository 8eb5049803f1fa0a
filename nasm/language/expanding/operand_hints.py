"""What to write where an operand of an instruction is written as it is elsewhere."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Failure, Problem, did_you_mean
from nasm.isa.by_name import named
from nasm.isa.instruction import REQUIRED, Row
from nasm.isa.kinds import Kind, Tile
from nasm.isa.synonyms import OPERANDS, meant
from nasm.language.expanding.affine import Affine
from nasm.language.expanding.evaluate import Closure, compile_node
from nasm.language.expanding.operand_texts import in_order
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.views.value_text import value_text
from nasm.views.view import Reg


def qualified(node: tree.ExpressionNode) -> tuple[str, str] | None:
    """The first and the last name of ``nl.add``; None if it is something else."""
    first, links = tree.chain(node)
    if not isinstance(first, tree.Name) or not links:
        return None
    last = links[-1]
    bare = all(isinstance(link, tree.Method) and link.arguments is None for link in links)
    return (first.name, last.name) if bare and isinstance(last, tree.Method) else None


def of_another(kind: Kind, node: tree.ExpressionNode, first: str, last: str) -> Closure:
    """``nl.add`` where words are wanted: they are not of a library, unless that is a tensor."""
    otherwise = compile_node(node)

    def refuse(scope: Scope) -> Any:
        if scope.knows(first):
            return otherwise(scope)
        scope.undeclared.silence_named(first)
        hint = f"write '{last}'" if last in kind.words else meant(last, kind.words)
        message = f"nothing is called '{first}': a word is written alone"
        hint = hint or f"wanted {kind.describe()}"
        raise Failure(Problem("E0208", message, scope.span(node), hint))

    return refuse


def wanted(name: str, kind: Kind) -> str:
    """What an operand wants; of a tile how it is declared, too."""
    tiles = (k.memories for k in (kind, *getattr(kind, "kinds", ())) if isinstance(k, Tile))
    memories = next(tiles, ())
    how = f": '.{memories[0]} {name} dtype[shape]'" if memories else ""
    return f"{kind.describe()}{how}"


def meant_operand(row: Row, name: str, statement: tree.InstructionLine) -> str:
    """The operand that a name means: ``op`` is ``op0`` in a line with one operator."""
    if row.kind(name) is not None or not _of_operator(row, name):
        return name
    return f"{name}0" if _operators(row, statement) == 1 else name


def _of_operator(row: Row, name: str) -> bool:
    """Whether a row has operands of a name with a number, for each of its operators."""
    return name in ("op", "operand", "reverse") and None not in map(row.kind, (f"{name}0", "op0"))


def _operators(row: Row, statement: tree.InstructionLine) -> int:
    """How many operators a line has."""
    second = next((n for n, o in enumerate(row.written) if o.name == "op1"), None)
    if second is None:
        return 1
    names = [n.name for n in statement.operands if isinstance(n, tree.NamedArgument)]
    given = len(statement.operands) - len(names) > second or "op1" in names
    return 2 if given or row.written[second].default is REQUIRED else 1


def no_operand(
    row: Row, node: tree.NamedArgument, statement: tree.InstructionLine, scope: Scope
) -> Problem:
    """What to say of ``name=value`` where a row has no operand of that name."""
    message = f"{row.name} has no operand '{node.name}'"
    return Problem("E0309", message, scope.span(node), _named(row, node, statement, scope))


def _named(
    row: Row, node: tree.NamedArgument, statement: tree.InstructionLine, scope: Scope
) -> str:
    if scope.knows(node.name):
        value = scope.span(node.value).text
        return f"'=' names an operand: a tensor is written alone, as in {node.name}, {value}"
    if node.name in OPERANDS:
        return OPERANDS[node.name]
    if _of_operator(row, node.name) and _operators(row, statement) > 1:
        return f"of two operators each has its number: write {node.name}0= or {node.name}1="
    given = node.value.name if isinstance(node.value, tree.Name) else ""
    taking = [o.name for o in row.written if given in o.kind.words and "true" not in o.kind.words]
    if len(taking) == 1:
        return f"write {taking[0]}={given}"
    close, order = did_you_mean(node.name, row.names), in_order(row, statement, scope)
    close = _of_others(row, node.name) or close
    return f"{close} {order}" if close else order


def _of_others(row: Row, name: str) -> str:
    """Which other generation has an operand of this name, where rows are a generation's own."""
    if row.variant is None:
        return ""
    module, own = row.variant
    target = named(module, "TARGET")
    on = {g.summary: target.row(row.name, g) for g in target.generations if g.name != own}
    others = [title for title, other in on.items() if other and other.kind(name) is not None]
    mine = next(g.summary for g in target.generations if g.name == own)
    return "".join(f"{other} has it, and {mine} has none of this name:" for other in others)


def string(kind: Kind, node: tree.StringLiteral) -> Closure:
    """Most operands take no string: names and words are written as they are."""

    def refuse(scope: Scope) -> Any:
        plain = node.value in kind.words or kind.names
        hint = f"write {node.value}, without the quotes" if plain else meant(node.value, kind.words)
        hint = hint or f"wanted {kind.describe()}"
        raise Failure(Problem("E0301", "this operand takes no string", scope.span(node), hint))

    return refuse


def of_register(value: Reg | Affine, node: tree.ExpressionNode, scope: Scope) -> Problem:
    """What to say of a wait for a number that is known at run time alone, and of an update."""
    what = "a wait compares with" if isinstance(node, tree.WaitClause) else "an update adds"
    message = f"{what} a number that is known when assembling, found {value_text(value)}"
    assert isinstance(node, tree.WaitClause | tree.UpdateClause | tree.TakeClause)
    name = f"${scope.span(node.name).text}"
    hint = (
        f"let each round take what it waits for: take {name} is {name} >= 1 with {name} -= 1, "
        f"and give {name} is {name} += 1"
    )
    return Problem("E0210", message, scope.span(node), hint)

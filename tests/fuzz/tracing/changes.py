"""Kernels with a change or a few: to calls, arguments, shapes, slices, engines, dtypes."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

OPERATORS = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "greater",
    "less",
    "equal",
    "not_equal",
    "greater_equal",
    "less_equal",
    "logical_and",
    "logical_or",
    "exp",
    "square",
    "copy",
    "rsqrt",
    "sqrt",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "bitwise_and",
    "power",
    "divide",
    "log",
]
DTYPES = [
    "float32",
    "bfloat16",
    "float16",
    "int32",
    "uint32",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "float8_e4m3",
    "bool_",
]
BUFFERS = ["sbuf", "psum", "hbm", "shared_hbm", "private_hbm"]
ENGINES = ["tensor", "vector", "scalar", "gpsimd", "sync", "dma", "unknown"]
RANGES = ["affine_range", "sequential_range", "static_range", "dynamic_range"]
WORDS = (OPERATORS, DTYPES, BUFFERS, ENGINES, RANGES)
NUMBERS = (0, 1, -1, 2, 3, 7, 32, 64, 127, 128, 129, 512, 513, 0.5, -2.0, 1e30)
FLAGS = ("accumulate", "negate", "reverse0", "reverse_pred", "is_transpose", "keepdims")
TARGETS = ("trn1", "trn3")

Change = Callable[[Random], None]


def mutated(rng: Random, text: str) -> str:
    """A kernel with one change, or up to three; its first line says what it is called with."""
    header, _, source = text.partition("\n")
    tree = ast.parse(source)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if rng.random() < 0.12:
            header = _header(rng, header)
            continue
        _one(rng, tree)
    return f"{header}\n{ast.unparse(ast.fix_missing_locations(tree))}\n"


def _one(rng: Random, tree: ast.Module) -> None:
    every = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    functions = [node for node in every if node.decorator_list] or every
    blocks = [block for function in functions for block in _blocks(function)]
    nodes = [node for function in functions for node in _inside(function)]
    kinds = [kind for kind in (_Statements(blocks), *_nodes(nodes)) if kind]
    rng.choice(kinds)(rng)


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    found = []
    for node in ast.walk(function):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            found.append(body)
    return found


class _Statements:
    """Removed, done twice, or moved."""

    def __init__(self, blocks: list[list[ast.stmt]]) -> None:
        self.blocks = blocks

    def __call__(self, rng: Random) -> None:
        block = rng.choice(self.blocks)
        at = rng.randrange(len(block))
        match rng.randrange(3):
            case 0:
                del block[at]
            case 1:
                block.insert(at, copy.deepcopy(block[at]))
            case _:
                statement = block.pop(at)
                other = rng.choice(self.blocks)
                other.insert(rng.randint(0, len(other)), statement)
        if not block:
            block.append(ast.Pass())


def _nodes(nodes: list[ast.AST]) -> Iterator[Change]:
    """A change for each kind of node that there is."""
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    of_isa = [n for n in calls if isinstance(n.func, ast.Attribute)]
    words = [n for n in nodes if isinstance(n, ast.Attribute) and _family(n.attr)]
    numbers = [n for n in nodes if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    slices = [n for n in nodes if isinstance(n, ast.Slice)]
    tuples = [n for n in nodes if isinstance(n, ast.Tuple | ast.List) and n.elts]
    names = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    operators = [n for n in nodes if isinstance(n, ast.BinOp)]
    if of_isa:
        yield lambda rng: _argument(rng, rng.choice(of_isa))
        yield lambda rng: _extra(rng, rng.choice(of_isa))
    if words:
        yield lambda rng: _word(rng, rng.choice(words))
        yield lambda rng: _word(rng, rng.choice(words))
    if numbers:
        yield lambda rng: _number(rng, rng.choice(numbers))
        yield lambda rng: _number(rng, rng.choice(numbers))
    if slices:
        yield lambda rng: _shifted(rng, rng.choice(slices))
    if tuples:
        yield lambda rng: _sizes(rng, rng.choice(tuples))
    if names:
        yield lambda rng: setattr(rng.choice(names), "id", rng.choice(names).id)
    if operators:
        yield lambda rng: setattr(
            rng.choice(operators), "op", rng.choice((ast.Add(), ast.Sub(), ast.Mult()))
        )


def _family(word: str) -> list[str] | None:
    return next((words for words in WORDS if word in words), None)


def _word(rng: Random, node: ast.Attribute) -> None:
    family = _family(node.attr)
    node.attr = rng.choice(family if family and rng.random() < 0.95 else OPERATORS)


def _number(rng: Random, node: ast.Constant) -> None:
    value = node.value
    assert isinstance(value, int | float)
    made = rng.choice((value + 1, value - 1, value * 2, value // 2, -value, rng.choice(NUMBERS)))
    node.value = made if type(value) is float or rng.random() < 0.05 else int(made)


def _argument(rng: Random, call: ast.Call) -> None:
    """Dropped, or exchanged with another."""
    given: list[Any] = [*call.args, *call.keywords]
    if not given:
        return
    if len(given) > 1 and rng.random() < 0.5 and len(call.keywords) > 1:
        one, two = rng.sample(call.keywords, 2)
        one.value, two.value = two.value, one.value
        return
    gone = rng.choice(given)
    call.args = [a for a in call.args if a is not gone]
    call.keywords = [k for k in call.keywords if k is not gone]


def _extra(rng: Random, call: ast.Call) -> None:
    """An argument more: an engine, a flag, an address, a word that is none."""
    word, value = rng.choice(
        [
            ("engine", ast.parse(f"nisa.engine.{rng.choice(ENGINES)}", mode="eval").body),
            (rng.choice(FLAGS), ast.Constant(rng.choice((True, False, None)))),
            ("address", ast.parse(f"(0, {rng.choice(NUMBERS)})", mode="eval").body),
            ("dtype", ast.parse(f"nl.{rng.choice(DTYPES)}", mode="eval").body),
            ("dge_mode", ast.parse(f"nisa.dge_mode.{rng.choice(('none', 'hwdge', 'swdge'))}",
                                   mode="eval").body),
            ("colour", ast.Constant(1)),
        ]
    )  # fmt: skip
    call.keywords = [k for k in call.keywords if k.arg != word]
    call.keywords.append(ast.keyword(word, value))


def _shifted(rng: Random, node: ast.Slice) -> None:
    by = ast.Constant(rng.choice((1, -1, 2, 16, 64)))
    which = rng.choice(("lower", "upper", "both", "step"))
    if which == "step":
        node.step = ast.Constant(rng.choice((0, 1, 2, -1, 3)))
    for name in ("lower", "upper"):
        bound = getattr(node, name)
        if bound is not None and which in (name, "both"):
            setattr(node, name, ast.BinOp(bound, ast.Add(), by))


def _sizes(rng: Random, node: ast.Tuple | ast.List) -> None:
    at = rng.randrange(len(node.elts))
    match rng.randrange(3):
        case 0:
            del node.elts[at]
        case 1:
            node.elts.insert(at, copy.deepcopy(node.elts[at]))
        case _:
            node.elts[at] = ast.Constant(rng.choice(NUMBERS[:12]))


def _header(rng: Random, header: str) -> str:
    """Other arguments, another target, another number of cores."""
    given = json.loads(header.removeprefix("#"))
    match rng.randrange(4) if given["arrays"] else rng.randrange(2, 4):
        case 0:
            array = rng.choice(given["arrays"])
            array[0] = rng.choice(DTYPES[:9])
        case 1:
            sizes = rng.choice(given["arrays"])[1]
            at = rng.randrange(len(sizes))
            sizes[at] = rng.choice((sizes[at] * 2, sizes[at] + 1, max(1, sizes[at] // 2), 1))
        case 2:
            given["lnc"] = 3 - given.get("lnc", 1)
        case _:
            given["target"] = rng.choice(TARGETS)
    return f"# {json.dumps(given)}"

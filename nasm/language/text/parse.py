"""Reads a text into its tree, and says everything that cannot be read in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import UnexpectedInput

from nasm.base.problems import MOST_ERRORS, Failure, Problem
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.language.text import grammar, habits, tree
from nasm.language.text.blocks import BlockParser, LogicalLine, logical_line, word_of
from nasm.language.text.line_templates import LineTemplates
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.transform import Built
from nasm.language.text.walk import children, descendants

DEEPEST = 100
_FOR_ENGINE = re.compile(r"@\w+\s+[A-Za-z_]\w*(?![\w(:])")
_CLAIM = re.compile(r"\.(?:expect|assert)\b|//|/\*|#")
_POSTS = re.compile(r"\bpost\s+[A-Za-z_]")
_DEEPENS = re.compile(r"[^\w\s,;]|\b(?:not|and|or|if)\b")


def parse(source: Source, alike: bool = False) -> tuple[tree.File, list[Problem]]:
    """All statements of a text that could be read, and its first syntax problems, in order.

    It never raises: a line that cannot be read costs that line only, and a block whose first
    line cannot be read is left out of the tree with all it holds. With ``alike``, lines outside of
    blocks that differ from others in numbers only are :class:`~nasm.language.text.tree.Like` those.
    """
    blocks = BlockParser(source.text)
    templates = LineTemplates(source.text) if alike else None
    mistakes: list[Mistake] = []
    unsaid, unread = 0, False
    begin = 0
    while begin <= len(source.text):
        if templates is not None and templates.known and not blocks.open:
            like, after = templates.find(begin)
            if like is not None:
                blocks.add_like(like)
                begin = after
                continue
        line, begin = logical_line(source.text, begin)
        if line is None:
            continue
        try:
            _add(source.text, line, blocks, len(mistakes) < MOST_ERRORS, templates)
        except (Mistake, UnexpectedInput) as mistake:
            if isinstance(mistake, Mistake) and len(mistakes) < MOST_ERRORS:
                mistakes.append(mistake)
            else:
                unsaid += 1
            blocks.add_unread(line.start, line.end, word_of(source.text, line.start))
            unread = unread or _may_declare(source.text, line)
    file = blocks.finish()
    unread = unread or bool(blocks.mistakes)
    mistakes += blocks.mistakes
    mistakes.sort(key=lambda mistake: mistake.start)
    unsaid += len(mistakes[MOST_ERRORS:])
    file = replace(file, unsaid=unsaid, unread=unread)
    return file, [m.problem(source) for m in mistakes[:MOST_ERRORS]]


def _may_declare(text: str, line: LogicalLine) -> bool:
    """Whether a line that could not be read may have declared something.

    A line for an engine has not, unless it calls a macro, which can export names, or names a
    moment; nor has a claim, or what is a comment elsewhere.
    """
    engine = _FOR_ENGINE.match(text, line.start, line.end)
    claim = _CLAIM.match(text, line.start, line.end)
    return not claim and (not engine or bool(_POSTS.search(text, line.start, line.end)))


def parse_line(source: Source, start: int, end: int) -> tree.InstructionLine:
    """The instruction line that the characters [start, end) hold, which can be read."""
    line = _read(source.text, LogicalLine(start, end), "line")
    assert isinstance(line, tree.InstructionLine)
    return line


def read_again(source: Source, start: int, end: int) -> tree.InstructionLine | None:
    """The instruction line that the characters [start, end) hold, if they are one."""
    try:
        line = _read(source.text, LogicalLine(start, end), "line", explained=False)
    except (Mistake, UnexpectedInput):
        return None
    return line if isinstance(line, tree.InstructionLine) else None


def parse_statement(source: Source) -> tree.Statement:
    """The one statement, line or whole block, that a text holds. Raises Failure."""
    file, problems = parse(source)
    if not problems and len(file.body) != 1:
        end = len(source.text)
        found = "nothing" if not file.body else "several"
        at = file.body[1].start if file.body else 0
        mistake = Mistake("E0101", f"wanted one statement, found {found}", at, end)
        problems = [mistake.problem(source)]
    if problems:
        raise Failure(problems)
    return file.body[0]


def parse_expression(
    source: Source, start: int, end: int, *, expectation: bool = False
) -> tree.ExpressionNode:
    """The expression that the characters [start, end) hold. Raises Failure.

    ``expectation`` allows ``@`` between matrices.
    """
    try:
        node = _read(source.text, LogicalLine(start, end), "expression")
        assert isinstance(node, tree.ExpressionNode)
        _check(source.text, node, start, expectation)
    except Mistake as mistake:
        raise Failure(mistake.problem(source)) from None
    return node


def _add(
    text: str,
    line: LogicalLine,
    blocks: BlockParser,
    explained: bool,
    templates: LineTemplates | None,
) -> None:
    """Add a line to its block; raises Mistake, or what the parser says if it need not be."""
    start, end = line.start, line.end
    if blocks.open and blocks.swallows(start, end):
        return
    if line.unterminated is not None:
        raise Mistake(
            "E0102",
            "this string is not closed on its line",
            line.unterminated,
            min(end, (text + "\n").find("\n", line.unterminated)),
            'end it with "',
        )
    if blocks.open and blocks.expects_moves(start, end):
        _add_move(text, line, blocks, explained)
        return
    learns = templates if not blocks.open else None
    statement = _read(text, line, "line", explained)
    assert isinstance(statement, tree.Statement)
    _check(text, statement, start, isinstance(statement, tree.Expect))
    blocks.add(statement)
    if learns is not None:
        learns.learn(statement)


def _add_move(text: str, line: LogicalLine, blocks: BlockParser, explained: bool) -> None:
    move = _read(text, line, "move", explained)
    assert isinstance(move, tuple)
    for side in move:
        _check(text, side, side.start, False)
    blocks.add_move(move)


def _read(text: str, line: LogicalLine, symbol: str, explained: bool = True) -> Built:
    if line.unclosed is not None:
        bracket = line.unclosed
        message = f"this '{text[bracket]}' is never closed"
        hint = habits.unclosed(text, line.start, bracket)
        raise Mistake("E0105", message, bracket, bracket + 1, hint)
    try:
        return grammar.read(text, line.start, line.end, symbol)
    except UnexpectedInput as error:
        if not explained:
            raise
        from nasm.language.text.diagnose import diagnose  # most texts can be read

        raise diagnose(text, line.start, line.end, symbol, error) from None


def _check(text: str, node: tree.ExpressionNode, start: int, expectation: bool) -> None:
    """What the grammar lets pass: too much depth, and matrix products outside expectations."""
    if node.end - start > DEEPEST and len(_DEEPENS.findall(text, start, node.end)) > DEEPEST:
        for whole in _expressions(node):
            for depth, inner in descendants(whole):
                if depth > DEEPEST:
                    message = f"an expression is nested more than {DEEPEST} deep"
                    raise Mistake("E0122", message, inner.start, inner.end)
    arrow = text.find("<-", start, node.end)
    if arrow >= 0 and isinstance(node, tree.InstructionLine):
        wrong = habits.arrow(text, start, arrow, node.end)
        if wrong is not None:
            raise wrong
    if expectation or text.find("@", start + 1, node.end) < 0:
        return
    for _, inner in descendants(node):
        if isinstance(inner, tree.Binary) and inner.op == "@":
            at = text.find("@", inner.before.end)
            raise Mistake(
                "E0113",
                "'@' multiplies matrices in '.expect' only",
                at,
                at + 1,
                "an '@engine' comes first on its line"
                if isinstance(node, tree.InstructionLine)
                else "",
            )


def _expressions(node: tree.ExpressionNode) -> Iterator[tree.ExpressionNode]:
    """The expressions of a statement, or the one that a node is."""
    if not isinstance(node, tree.Statement):
        yield node
        return
    for child in children(node):
        yield child.value if isinstance(child, tree.NamedArgument) else child

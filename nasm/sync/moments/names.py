"""Which node posts what another comes after: names of moments looked up.

A moment that is posted in a loop at run time belongs to a round of it. A line after it in the same
loop says how many rounds earlier; outside of the loop it is that of all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nasm.base.problems import Failure, Note, counted, did_you_mean, listed
from nasm.base.source import Span
from nasm.program.program import Program
from nasm.program.text_items import MomentMention, Round
from nasm.sync.dependences import DONE, OVER
from nasm.sync.moments.errors import IMPOSSIBLE, NO_POST, TWICE, refused, shown
from nasm.sync.moments.nodes import Level, Need, Node, Outside, named, posted

LISTED = 4
"""Indices that are named of those with which a moment is posted."""


class PostedMoment(NamedTuple):
    """A moment that a node posts."""

    node: Node
    mention: MomentMention


class Back(NamedTuple):
    """How many rounds earlier a moment is, of the loop that is the last of so many levels."""

    rounds: int
    depth: int


class _Earlier(NamedTuple):
    """Who comes after a round before: in the first rounds of its loop there is none."""

    node: Node
    mention: MomentMention
    post: PostedMoment
    depth: int


class Names:
    """The moments of a text by their names; ``passed`` finds those in branches not taken."""

    def __init__(self, program: Program, text: Level, passed: Callable[[str], Span | None]) -> None:
        self.program, self.passed = program, passed
        self.posts: dict[str, list[PostedMoment]] = {}
        self._of_key: dict[tuple[object, ...], list[PostedMoment]] = {}
        self._earlier: list[_Earlier] = []
        self._firsts: dict[object, dict[tuple[int | None, ...], int]] = {}
        known: dict[object, PostedMoment] = {}
        for node in sorted(text.every(), key=lambda node: node.text):
            for mention in node.moments.posts:
                post = PostedMoment(node, mention)
                self._check(post)
                key = self._key(post)
                if key in known:
                    raise self._twice(known[key], post)
                known[key] = post
                self.posts.setdefault(mention.moment.name, []).append(post)
                self._of_key.setdefault(_of_all_rounds(mention), []).append(post)

    def _check(self, post: PostedMoment) -> None:
        """Refuse what a node cannot post."""
        node, mention = post
        who, span = named(self.program, node), mention.span
        self._check_reach(node, span)
        if node.shares and mention.at_read:
            message = f"{who} is a transfer: that it has read is known when it has landed"
            raise refused(IMPOSSIBLE, message, span, "leave '@read' out")
        if node.shares and node.update is not None:
            name = self.program.semaphore_name(node.update.semaphore)
            message = f"{who} updates ${name} when it lands, and carries one update"
            hint = f"leave one of the two out: a wait for ${name}, or the moment"
            raise refused(IMPOSSIBLE, message, span, hint)

    def _check_reach(self, node: Node, span: Span) -> None:
        if node.reach:
            message = (
                f"{named(self.program, node)} is within reach of a written branch: how often it "
            )
            message += "is executed is not known"
            hint = "let '.loop … .end' make the branch, or write waits and updates here"
            raise refused(IMPOSSIBLE, message, span, hint)

    def _key(self, post: PostedMoment) -> object:
        """What is the same for two posts of one moment: offsets differ by whole rounds."""
        steps = {level.loop.number: level.loop.step for level in post.node.level.path if level.loop}
        indices = [
            (i.loop, i.offset % steps.get(i.loop, 1)) if isinstance(i, Round) else i
            for i in post.mention.moment.indices
        ]
        return post.mention.moment.name, *indices

    def _twice(self, first: PostedMoment, second: PostedMoment) -> Failure:
        message = f"{shown(second.mention.moment)} is posted twice"
        hint = "give each a name or an index of its own"
        inner, outer = first.mention.span, second.mention.span
        if inner.start == outer.start and inner.chain:
            variable = outer.chain[-1].what.split()[1] if outer.chain else ""
            name = first.mention.moment.name
            hint = f"each round needs a moment of its own, as in {name}[{variable}]"
        note = Note("the first one", inner)
        return refused(TWICE, message, outer, hint, note)

    # -- who comes after what

    def needs(self, node: Node) -> None:
        """Add to a node, or to where it enters a loop, what it comes after."""
        for mention in node.moments.afters:
            self._check_reach(node, mention.span)
            for post, back in self._posts_of(node, mention):
                need(node, post.node, posted(*post), back.rounds, mention, back.depth)
                if back.rounds:
                    self._earlier.append(_Earlier(node, mention, post, back.depth))

    def go_on(self) -> None:
        """Let loops continue from others that post the moments of rounds before their first ones.

        Of a loop before all rounds are waited for. Equal ones share what they take.
        """
        for node, mention, post, within in self._earlier:
            for other in self._of_key[_of_all_rounds(post.mention)]:
                together = common(node, other.node)
                depth = len(together)
                if depth >= min(within, len(other.node.level.path)):
                    continue
                loop = other.node.level.path[depth]
                alike = any(loop is one for one in node.level.path[depth].alike)
                later = other.node.text > node.text
                before = not later or together[-1].loop is not None
                if before and not alike and self._one(post, other) and self._near(node, other):
                    need(node, other.node, posted(*other), int(later), mention)

    @staticmethod
    def _one(post: PostedMoment, other: PostedMoment) -> bool:
        """Whether two posts are of one moment, but for the rounds of loops."""
        both = (one.mention.moment.indices for one in (post, other))
        first, second = ([None if isinstance(i, Round) else i for i in some] for some in both)
        return first == second

    def _near(self, node: Node, post: PostedMoment) -> bool:
        """Whether a moment is posted on the core of a node."""
        queues = self.program.queues
        return queues[post.node.queue].core == queues[node.queue].core

    def _posts_of(self, node: Node, mention: MomentMention) -> Iterator[tuple[PostedMoment, Back]]:
        """The posts that a node comes after, each with how many rounds earlier it is."""
        moment = mention.moment
        candidates = self.posts.get(moment.name)
        if candidates is None:
            raise self._unknown(mention)
        found = False
        for post in self._of_key.get(_of_all_rounds(mention), ()):
            back = self._back(node, mention, post)
            if back is not None:
                self._check_core(node, mention, post)
                found = True
                yield post, back
        if not found and not self._before_first(node, mention, candidates):
            raise self._no_post(mention, candidates)

    def _before_first(
        self, node: Node, mention: MomentMention, candidates: list[PostedMoment]
    ) -> bool:
        """Whether a moment is of a round of a ``.for`` before the first one that posts it."""
        wanted, earlier = mention.moment.indices, mention.earlier
        for axis, direction in enumerate(earlier):
            if not direction:
                continue
            first = self._first(node, mention, axis, candidates)
            at = wanted[axis]
            if first is not None and isinstance(at, int) and (at - first) * direction > 0:
                return True
        return False

    def _first(
        self, node: Node, mention: MomentMention, axis: int, candidates: list[PostedMoment]
    ) -> int | None:
        """The first index that posts of a moment have, whose other indices are those mentioned."""
        earlier = mention.earlier
        places = [n for n, direction in enumerate(earlier) if n != axis and not direction]
        key = mention.moment.name, axis, earlier, id(node.level)
        found = self._firsts.get(key)
        if found is None:
            found = self._firsts[key] = {}
            for post in candidates:
                indices = _inside(node, post)
                at = indices[axis] if len(indices) == len(earlier) else None
                if isinstance(at, int):
                    others = tuple(_plain(indices[n]) for n in places)
                    if (at - found.setdefault(others, at)) * earlier[axis] > 0:
                        found[others] = at
        return found.get(tuple(_plain(mention.moment.indices[n]) for n in places))

    def _unknown(self, mention: MomentMention) -> Failure:
        moment = mention.moment
        passed = self.passed(mention.otherwise or moment.name)
        hint = self._of_macro(moment.name) or did_you_mean(moment.name, self.posts)
        hint = hint or f"a moment is what a line posts: 'post {shown(moment)}' at its end"
        notes: tuple[Note, ...] = ()
        if passed is not None:
            hint = f"come after it in that branch, too: 'after {shown(moment)} if condition'"
            notes = (Note("posted in an '.if' branch that is not taken", passed),)
        return refused(NO_POST, f"nothing posts {shown(moment)}", mention.span, hint, *notes)

    def _of_macro(self, name: str) -> str:
        """What to write where a macro posts a moment that its text calls so; or nothing."""
        for own, posts in self.posts.items():
            span = posts[0].mention.span
            if own.endswith(f"_{name}") and span.text.partition("[")[0] == name and span.chain:
                call = span.chain[-1].what
                return f"{name} of {call} is the macro's own: let the call hand it one to post"
        return ""

    def _no_post(self, mention: MomentMention, candidates: list[PostedMoment]) -> Failure:
        moment = mention.moment
        counts = {len(post.mention.moment.indices) for post in candidates}
        known = [shown(post.mention.moment) for post in candidates]
        more = ", …" if len(known) > LISTED else ""
        hint = f"posted {'is' if len(known) == 1 else 'are'} {listed(known[:LISTED], 'and')}{more}"
        message = f"nothing posts {shown(moment)}"
        if len(moment.indices) not in counts:
            wanted = listed((str(count) for count in sorted(counts)), "or")
            message += f": it has {len(moment.indices)} indices, posted with {wanted}"
        note = Note("the first one is posted here", candidates[0].mention.span)
        return refused(NO_POST, message, mention.span, hint, note)

    def _check_core(self, node: Node, mention: MomentMention, post: PostedMoment) -> None:
        if not self._near(node, post):
            cores = [self.program.queues[n.queue].core for n in (post.node, node)]
            message = (
                f"{shown(mention.moment)} is posted in core {cores[0]}; this is core {cores[1]}"
            )
            hint = "a queue waits for semaphores of its own core: let the cores meet at a barrier"
            note = Note("it is posted here", post.mention.span)
            raise refused(IMPOSSIBLE, message, mention.span, hint, note)

    def _back(self, node: Node, mention: MomentMention, post: PostedMoment) -> Back | None:
        """How many rounds earlier a post is the mentioned moment; None if it is another."""
        inside = _inside(node, post)
        wanted = mention.moment.indices
        if len(inside) != len(wanted):
            return None
        back: dict[int, int] = {}
        steps = {level.loop.number: level.loop.step for level in node.level.path if level.loop}
        for index, other in zip(inside, wanted, strict=True):
            if isinstance(index, Round) and isinstance(other, Round) and index.loop == other.loop:
                rounds, rest = divmod(index.offset - other.offset, steps[index.loop])
                if rest or back.get(index.loop, rounds) != rounds:
                    return None
                back[index.loop] = rounds
            elif index != other:
                return None
        return self._rounds(node, mention, post, back)

    def _rounds(
        self, node: Node, mention: MomentMention, post: PostedMoment, back: dict[int, int]
    ) -> Back:
        """How many rounds earlier a post is in the outermost loop of which it is of another round.

        Of the loops within that one all rounds are waited for: when they are entered again.
        """
        together = common(node, post.node)
        found = Back(0, len(together))
        for depth, level in enumerate(together, 1):
            rounds = back.get(level.loop.number, 0) if level.loop is not None else 0
            if rounds:
                found = Back(rounds, depth)
                break
        if found.rounds < 0:
            message = f"{shown(mention.moment)} is posted {counted(-found.rounds, 'round')} later"
            note = Note("it is posted here", post.mention.span)
            raise refused(
                IMPOSSIBLE, message, mention.span, "come after this round or one before", note
            )
        return found


def _of_all_rounds(mention: MomentMention) -> tuple[object, ...]:
    """The name and the indices of a moment but for the rounds of loops, which need not be equal."""
    moment = mention.moment
    return moment.name, *(index for index in moment.indices if not isinstance(index, Round))


def _inside(node: Node, post: PostedMoment) -> list[int | Round]:
    """The indices of a posted moment where a node is: none of loops that the node is not in."""
    together = {level.loop.number for level in common(node, post.node) if level.loop}
    return [
        index
        for index in post.mention.moment.indices
        if not isinstance(index, Round) or index.loop in together
    ]


def _plain(index: int | Round) -> int | None:
    """An index but for the rounds of loops at run time."""
    return None if isinstance(index, Round) else index


def common(node: Node, other: Node) -> list[Level]:
    """The levels that two nodes are both in."""
    return [a for a, b in zip(node.level.path, other.level.path, strict=False) if a is b]


def need(
    node: Node,
    other: Node,
    kind: int,
    distance: int = 0,
    mention: MomentMention | None = None,
    depth: int | None = None,
) -> None:
    """Let a node come after an event of another one, on the level that both are in.

    From a loop that only one of them is in there is its beginning, or its end; so there is from
    any that is deeper than ``depth`` levels.
    """
    if depth is None:
        depth = len(common(node, other))
    if len(node.level.path) > depth:
        node = node.level.path[depth].enter[node.queue]
    if len(other.level.path) == depth:
        node.needs.append(Need(kind, other, distance, mention))
        return
    made = Need(DONE, other.level.path[depth].leave[other.queue], distance, mention)
    node.needs.append(made)
    if kind == OVER:
        other.outside.append(Outside(node, made, other.level.path[depth]))

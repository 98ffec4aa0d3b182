"""A deterministic automaton over characters: which tokens it allows, and what it forces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.result import ToolError

LONGEST_FORCED = 400


@dataclass(frozen=True)
class Automaton:
    """`moves[state][character]` is the next state; states that cannot end are left out."""

    moves: Mapping[int, Mapping[str, int]]
    accepting: frozenset[int]
    start: int = 0

    def walk(self, state: int, text: str) -> int | None:
        """The state after `text`, or None where it leaves the automaton."""
        for character in text:
            after = self.moves.get(state, {}).get(character)
            if after is None:
                return None
            state = after
        return state

    def allowed(self, state: int, vocab: Sequence[str]) -> list[int]:
        """Numbers of the tokens all of whose characters may follow."""
        return [n for n, token in enumerate(vocab) if self.walk(state, token) is not None]

    def masks(self, vocab: Sequence[str]) -> dict[int, list[int]]:
        """The tokens allowed in each state that tokens reach, in order of discovery."""
        found: dict[int, list[int]] = {}
        ahead = [self.start]
        for state in ahead:
            if state in found:
                continue
            found[state] = self.allowed(state, vocab)
            after = (self.walk(state, vocab[number]) for number in found[state])
            ahead += [to for to in after if to is not None and to not in found]
        return found

    def forced(self, state: int) -> str:
        """Characters that must follow because there is no other way to go on or to end."""
        text = ""
        while state not in self.accepting and len(self.moves.get(state, {})) == 1:
            ((character, state),) = self.moves[state].items()
            text += character
            if len(text) == LONGEST_FORCED:
                break
        return text


def trimmed(moves: Mapping[int, Mapping[str, int]], accepting: Sequence[int]) -> Automaton:
    """Drop every state from which no accepting one is reached; ToolError if nothing is left."""
    alive = set(accepting)
    grown = True
    while grown:
        more = {s for s, out in moves.items() if s not in alive and alive & set(out.values())}
        alive |= more
        grown = bool(more)
    if 0 not in alive:
        raise ToolError("accepting", list(accepting), "no accepting state is reached from state 0")
    kept = {
        state: {char: to for char, to in out.items() if to in alive}
        for state, out in moves.items()
        if state in alive
    }
    return Automaton(kept, frozenset(accepting))


def trie(choices: Sequence[str]) -> Automaton:
    """The automaton of a list of texts."""
    moves: dict[int, dict[str, int]] = {0: {}}
    accepting = set()
    for text in choices:
        state = 0
        for character in text:
            if character not in moves[state]:
                moves[state][character] = len(moves)
                moves[len(moves)] = {}
            state = moves[state][character]
        accepting.add(state)
    return Automaton(moves, frozenset(accepting))


def characters(pattern: str) -> list[str]:
    """Characters of a class such as 'a-z_'; a backslash takes the next one as it is."""
    found: list[str] = []
    index = 0
    while index < len(pattern):
        if pattern[index] == "\\" and index + 1 < len(pattern):
            found.append(pattern[index + 1])
            index += 2
        elif pattern[index + 1 : index + 2] == "-" and index + 2 < len(pattern):
            first, last = ord(pattern[index]), ord(pattern[index + 2])
            found += [chr(code) for code in range(first, min(last, first + 255) + 1)]
            index += 3
        else:
            found.append(pattern[index])
            index += 1
    return list(dict.fromkeys(found))

"""Command lines of `agentcells cell`, read into a verb and its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from agentcells.cell_faults import bad, short
from agentcells.door import Envelope
from agentcells.faces import Argument, Arguments, Face


class Misspelt(Exception):
    """A command line that ends with this envelope."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(envelope)
        self.envelope = envelope


def read(face: Face, argv: Sequence[str], language: str) -> Arguments:
    """A word behind an option belongs to it, "--" ends the options. A message may stand alone."""
    words = list(argv)
    values: Arguments = {}
    alone: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            alone += words
            break
        if not word.startswith("-") or word == "-":
            alone.append(word)
            continue
        argument, value = _option(face, word, words, language)
        if argument.name in values:
            raise Misspelt(bad(face, language, "records_twice", word=short(word)))
        values[argument.name] = value
    if alone:
        _stand_alone(face, alone, values, language)
    return values


def _option(face: Face, word: str, words: list[str], language: str) -> tuple[Argument, object]:
    """`-m TEXT`, `-mTEXT`, `--message=TEXT`, `--log`."""
    for argument in face.arguments:
        for option in argument.options:
            if argument.kind == "flag" and word == option:
                return argument, True
            if argument.kind == "flag":
                continue
            if word == option:
                if not words:
                    raise Misspelt(bad(face, language, "records_no_value", word=option))
                return argument, _value(argument, words.pop(0))
            long = option.startswith("--")
            if word.startswith(f"{option}=" if long else option):
                return argument, _value(argument, word[len(option) + long:])
    raise Misspelt(bad(face, language, "records_no_option", word=short(word)))


def _stand_alone(face: Face, alone: list[str], values: Arguments, language: str) -> None:
    listed = next((a for a in face.arguments if a.kind == "texts"), None)
    single = next((a for a in face.arguments if a.kind == "text"), None)
    if listed is not None:
        values[listed.name] = alone
    elif single is not None and single.name not in values and len(alone) == 1:
        values[single.name] = alone[0]
    else:
        raise Misspelt(bad(face, language, "records_extra_word", word=short(alone[-1])))


def _value(argument: Argument, word: str) -> object:
    if argument.kind == "number" and word.isascii() and word.isdecimal() and len(word) < 16:
        return int(word)
    return word

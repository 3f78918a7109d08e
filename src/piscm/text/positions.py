"""Where the keys and values of a TOML text stand.

The text is known to be valid: Python's own reader has read it. This one only looks where things
are.
"""

import re
from contextlib import suppress
from typing import NamedTuple

Key = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_VALUE = re.compile(r"[^,\]}#\n]*")


class Place(NamedTuple):
    """A stretch of the text.

    `inside` is where the content of a string begins, if its characters stand there as they are.
    """

    begin: int
    end: int
    inside: int | None = None


class Positions:
    """The places of all keys and values."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._counts: dict[Key, int] = {}
        self.places: dict[Key, Place] = {}
        self._names: dict[Key, Place] = {}
        with suppress(IndexError, RecursionError):  # what was found so far is enough
            self._document()

    def of(self, key: Key, span: tuple[int, int] | None = None) -> Place:
        """The place of a value, or of a part of its text; of the nearest table if it is missing."""
        while key and key not in self.places and key not in self._names:
            key, span = key[:-1], None
        place = self.places.get(key) or self._names.get(key) or Place(0, 0)
        if span is not None and place.inside is not None:
            return Place(place.inside + span[0], max(place.inside + span[1], place.inside + 1))
        return place

    def name(self, key: Key) -> Place | None:
        """The place of a name itself."""
        return self._names.get(key)

    def _document(self) -> None:
        prefix: Key = ()
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return
            if self._text[self._at] == "[":
                prefix = self._header()
            else:
                self._pair(prefix)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return found[0]

    def _header(self) -> Key:
        begin = self._at
        several = self._text.startswith("[[", begin)
        self._at += 2 if several else 1
        parts = self._key()
        self._at += 2 if several else 1
        key: Key = ()
        for number, part in enumerate(parts):
            key = (*key, part)
            last = number == len(parts) - 1
            if last and several:
                self._names.setdefault(key, Place(begin, self._at))
                self._counts[key] = self._counts.get(key, -1) + 1
            if key in self._counts:
                key = (*key, self._counts[key])
        self._names.setdefault(key, Place(begin, self._at))
        return key

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip(_SPACE)
            if self._text[self._at] in "\"'":
                begin = self._at
                self._string()
                parts.append(self._text[begin + 1 : self._at - 1])
            else:
                parts.append(self._skip(_BARE))
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return parts
            self._at += 1

    def _pair(self, prefix: Key) -> None:
        begin = self._at
        parts = self._key()
        key: Key = (*prefix, *parts)
        end = self._at
        while self._text[end - 1] in " \t":
            end -= 1
        for length in range(len(prefix) + 1, len(key) + 1):
            self._names.setdefault(key[:length], Place(begin, end))
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(key)

    def _value(self, key: Key) -> None:
        begin, inside = self._at, None
        first = self._text[begin]
        if first in "\"'":
            inside = self._string()
        elif first == "[":
            self._at += 1
            number = 0
            while self._more("]"):
                self._value((*key, number))
                number += 1
        elif first == "{":
            self._at += 1
            while self._more("}"):
                self._pair(key)
        else:
            self._at = begin + len(self._skip(_VALUE).rstrip())
        self.places[key] = Place(begin, self._at, inside)

    def _more(self, end: str) -> bool:
        """Whether another item follows, up to the end of a list or table."""
        self._skip(_BLANK)
        if self._text[self._at] == ",":
            self._at += 1
            self._skip(_BLANK)
        if self._text[self._at] == end:
            self._at += 1
            return False
        return True

    def _string(self) -> int | None:
        """Move past a string; where its content begins, unless escapes shift it."""
        quote = self._text[self._at]
        mark = quote * 3 if self._text.startswith(quote * 3, self._at) else quote
        inside = begin = self._at + len(mark)
        if len(mark) == 3 and self._text.startswith("\n", inside):
            inside += 1
        plain = True
        while not self._text.startswith(mark, begin):
            if quote == '"' and self._text[begin] == "\\":
                plain = False
                begin += 1
            begin += 1
        begin += len(mark)
        while len(mark) == 3 and self._text.startswith(quote, begin):
            begin += 1  # up to two quotes may stand before the end
        self._at = begin
        return inside if plain else None

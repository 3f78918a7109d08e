"""Plain data as TOML."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_WIDE = 88


def to_toml(document: Mapping[str, Any], tables: tuple[str, ...]) -> str:
    """A document; entries named in `tables` become tables, all others come before them."""
    lines = []
    for name, value in document.items():
        if name not in tables:
            lines.append(f"{_key(name)} = {_listed(value)}")
    for name in tables:
        if document.get(name):
            lines += ["", f"[{_key(name)}]"]
            lines += [
                f"{_key(key)} = {_value(item)}"
                for key, item in document[name].items()
                if item is not None
            ]
    return "\n".join(lines).lstrip("\n") + "\n"


def _listed(value: Any) -> str:
    """A list with an item a line, if it is too wide for one."""
    text = _value(value)
    if not isinstance(value, list) or len(text) <= _WIDE:
        return text
    return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"


def _key(name: str) -> str:
    return name if _BARE.match(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        own = (f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None)
        return "{" + ", ".join(own) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    return repr(int(value))


def _text(value: str) -> str:
    # TOML's basic strings are JSON's, but for the delete character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

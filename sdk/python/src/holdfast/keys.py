"""Idempotency keys."""

from __future__ import annotations

import hashlib
import json
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Union, cast

KeyPart = Union[str, int, bool, None, Sequence["KeyPart"], Mapping[str, "KeyPart"]]
"""What a key can be derived from. No fractions: languages write them differently."""

_MAX_INTEGER = 2**53 - 1


def read_key(given: str | None) -> str:
    """The caller's key, or a new random one. Raises ValueError if the key is invalid."""
    key = _new_key() if given is None else given
    # HTTP drops spaces at the ends, which would make two keys one.
    if re.fullmatch(r"[ -~]{1,255}", key) and key.strip() == key:
        return key
    raise ValueError("An idempotency key has 1 to 255 printable ASCII characters, and no space at its ends.")


def _new_key() -> str:
    """The time comes first, which makes new keys neighbours in the service's index."""
    return f"sdk_{time.time_ns() // 1_000_000:x}_{uuid.uuid4()}"


def derive_key(order: KeyPart) -> str:
    """An idempotency key that follows from your own data, such as an order number: the same in every process, after
    every crash, and in the SDKs of other languages. So one order is one execution, whoever repeats it.

    Raises ValueError if `order` is empty, TypeError if it has a fraction.
    """
    if _is_empty(order):
        raise ValueError("derive_key needs data that differs from order to order.")
    _check(order)
    # As other languages sort names: by UTF-16 code units, which only differs from Python's order beyond U+FFFF.
    text = json.dumps(_sorted(order), ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")
    return f"order_{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def _is_empty(part: object) -> bool:
    if isinstance(part, Mapping):
        return all(_is_empty(value) for value in cast("Mapping[object, object]", part).values())
    if isinstance(part, (list, tuple)):
        return all(_is_empty(item) for item in cast("Sequence[object]", part))
    return part is None or part == ""


def _check(part: object) -> None:
    if part is None or isinstance(part, (str, bool)):
        return
    if isinstance(part, int):
        if abs(part) > _MAX_INTEGER:
            raise TypeError(f"derive_key takes no number like {part}: pass it as text.")
    elif isinstance(part, Mapping):
        for name, value in cast("Mapping[object, object]", part).items():
            if not isinstance(name, str):
                raise TypeError("derive_key takes names that are text only.")
            _check(value)
    elif isinstance(part, Sequence) and not isinstance(part, (bytes, bytearray)):
        for item in cast("Sequence[object]", part):
            _check(item)
    else:
        raise TypeError(f"derive_key takes no {type(part).__name__}: pass it as text.")


def _sorted(part: Any) -> Any:
    if isinstance(part, Mapping):
        entries = cast("Mapping[str, Any]", part).items()
        return {name: _sorted(value) for name, value in sorted(entries, key=_utf16)}
    if isinstance(part, Sequence) and not isinstance(part, str):
        return [_sorted(item) for item in cast("Sequence[Any]", part)]
    return part


def _utf16(entry: tuple[str, Any]) -> bytes:
    return json.dumps(entry[0]).encode("ascii")

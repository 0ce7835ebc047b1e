from __future__ import annotations

import hashlib
from typing import Any

import pytest
from holdfast import derive_key
from holdfast.keys import read_key


def test_a_key_follows_from_the_order_alone():
    assert derive_key({"b": [1, True, None], "a": "ä\x7f"}) == derive_key({"a": "ä\x7f", "b": [1, True, None]})
    text = '{"a":"\\u00e4\\u007f","b":[1,true,null]}'
    assert derive_key({"b": [1, True, None], "a": "ä\x7f"}) == f"order_{hashlib.sha256(text.encode()).hexdigest()}"


def test_different_orders_have_different_keys():
    orders: list[Any] = ["1", 1, [1], {"1": 1}, ["1"], True]
    assert len({derive_key(order) for order in orders}) == len(orders)


@pytest.mark.parametrize("order", [None, "", {}, [""], {"order": None}])
def test_an_empty_order_has_no_key(order: Any):
    with pytest.raises(ValueError, match="differs from order to order"):
        derive_key(order)


@pytest.mark.parametrize("order", [1.5, [b"x"], {"a": object()}, {1: 2}, 2**53])
def test_an_order_that_languages_write_differently_has_no_key(order: Any):
    with pytest.raises(TypeError):
        derive_key(order)


def test_a_random_key_is_made_where_none_is_given():
    assert read_key(None) != read_key(None)
    assert read_key("order 1") == "order 1"


@pytest.mark.parametrize("key", ["", "ä", "a\n", "x" * 256, " before", "after "])
def test_a_key_that_no_header_can_carry_is_refused(key: str):
    with pytest.raises(ValueError, match="255 printable"):
        read_key(key)

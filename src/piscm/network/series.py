"""Derivatives of products and compositions: the algebra behind deep networks.

A series holds derivatives of one function by order. The same code runs on NumPy and JAX arrays.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import comb, prod
from typing import Any

Orders = tuple[int, ...]
"""The order of a derivative by each coordinate."""

Series = dict[Orders, Any]
"""Derivatives by order; a missing one is zero."""


def below(orders: Orders) -> Iterator[Orders]:
    return product(*(range(order + 1) for order in orders))


def product_rule(orders: Orders, one: Mapping[Orders, Any], other: Mapping[Orders, Any]) -> Any:
    """A derivative of a product; None if every term is missing."""
    total = None
    for lower in below(orders):
        rest = tuple(k - m for k, m in zip(orders, lower, strict=True))
        if lower in one and rest in other:
            count = prod(map(comb, orders, lower))
            term = one[lower] * other[rest] if count == 1 else count * one[lower] * other[rest]
            total = term if total is None else total + term
    return total


def square(orders: Orders, one: Mapping[Orders, Any]) -> Any:
    """A derivative of a square, with half the terms of a product."""
    total = None
    for lower in below(orders):
        rest = tuple(k - m for k, m in zip(orders, lower, strict=True))
        if lower <= rest and lower in one and rest in one:
            count = prod(map(comb, orders, lower)) * (1 if lower == rest else 2)
            term = one[lower] * one[rest] if count == 1 else count * one[lower] * one[rest]
            total = term if total is None else total + term
    return total


def chain(orders: Orders, slope: Mapping[Orders, Any], z: Mapping[Orders, Any]) -> Any:
    """A derivative of h, given that Dh is the slope times Dz."""
    axis = next(k for k, order in enumerate(orders) if order)
    step = tuple(int(k == axis) for k in range(len(orders)))
    lowered = tuple(k - m for k, m in zip(orders, step, strict=True))
    moved = {
        tuple(k - m for k, m in zip(own, step, strict=True)): value
        for own, value in z.items()
        if own[axis]
    }
    return product_rule(lowered, slope, moved)

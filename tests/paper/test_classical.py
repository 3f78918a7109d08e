"""The classical solvers: as accurate as asked, whatever is asked."""

import numpy as np
import pytest

from piscm import ProblemError, zoo
from piscm.paper.classical import classical

FORWARD = ("van-der-pol", "helmholtz", "allen-cahn")
INVERSE = ("van-der-pol-inverse", "helmholtz-inverse")


def rmse(name, accuracy):
    """Of the field, and the error of the unknown where there is one."""
    item = zoo.load(name)
    data = item.observed(item.observations).observations
    found = classical(name, accuracy, *data)
    error = max((abs(found.unknowns[k] - true) for k, true in item.truth.items()), default=0.0)
    return item.rmse(found), error


@pytest.mark.parametrize("name", [*FORWARD, *INVERSE])
@pytest.mark.parametrize("accuracy", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
def test_the_accuracy_is_met_and_not_by_far_too_much(name, accuracy):
    error, _ = rmse(name, accuracy)
    assert 0.01 * accuracy < error < accuracy


@pytest.mark.parametrize("name", [*FORWARD[:2], *INVERSE])
@pytest.mark.parametrize("accuracy", [1e-8, 1e-9, 1e-10])
def test_smooth_solutions_are_had_to_ten_digits(name, accuracy):
    assert rmse(name, accuracy)[0] < accuracy


@pytest.mark.parametrize(("name", "error"), [(INVERSE[0], 1e-6), (INVERSE[1], 1e-4)])
def test_unknowns_are_recovered(name, error):
    assert rmse(name, 1e-7)[1] < error


@pytest.mark.parametrize("name", FORWARD)
def test_coordinates_broadcast(name):
    found = classical(name, 1e-2)
    first, second = found.coordinates
    places, others = np.array([0.1, 0.9]), np.array([[0.0], [0.2], [0.5]])
    values = found(**{first: places, second: others})
    assert values.shape == (3, 2)
    assert values[2, 1] == pytest.approx(found(**{first: 0.9, second: 0.5}), abs=1e-12)


def test_the_ends_of_the_allen_cahn_domain():
    found = classical("allen-cahn", 1e-3)
    ends = np.array([-1.0, 0.0, 1.0])
    assert found(x=ends, t=0.0) == pytest.approx([-1.0, 0.0, -1.0], abs=1e-12)
    left, _, right = found(x=ends, t=0.5)
    assert left == right


def test_bad_calls():
    with pytest.raises(ProblemError, match="no classical solver for 'kdv'"):
        classical("kdv", 1e-3)
    for accuracy in (1e-12, 0.5):
        with pytest.raises(ProblemError, match=r"from 1e-10 to 0\.1"):
            classical("helmholtz", accuracy)
    with pytest.raises(ProblemError, match="positive number"):
        classical("helmholtz", -1.0)
    with pytest.raises(ProblemError, match="needs observations"):
        classical("helmholtz-inverse", 1e-3)
    with pytest.raises(ProblemError, match="x and y"):
        classical("helmholtz", 1e-3)(x=0.0, t=0.0)

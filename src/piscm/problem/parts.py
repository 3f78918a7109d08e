"""What a user gives to `Problem`, in lists of real parts: vectors by component, complex by half."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from piscm.problem.complex_fields import split_equation, split_requirement
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.expansion import mosaic_of
from piscm.problem.expressions import as_expression
from piscm.problem.observations import Observations
from piscm.problem.place import Kept
from piscm.problem.priors import Prior
from piscm.problem.region import Region
from piscm.problem.requirement import Requirement

if TYPE_CHECKING:
    from piscm.problem.problem import Problem


def listed(items: Any, what: str) -> list[Any]:
    """Items that were given as a list."""
    if isinstance(items, list | tuple):
        return list(items)
    raise ProblemError(f"{what} is a {type(items).__name__}; give a list, as {what}=[...].")


def whole_domain(
    domain: Domain | None, regions: Sequence[Region] | None, interface: Any, singular: Any
) -> Domain:
    """The domain, or what regions make up."""
    if regions is not None:
        if domain is not None:
            raise ProblemError("Give a domain or regions, not both.")
        if singular is not None:
            raise ProblemError("With regions, singular functions belong to a Region.")
        domain = mosaic_of(regions)
    elif interface is not None:
        raise ProblemError("interface says what holds between regions, and there are none.")
    if not isinstance(domain, Domain):
        # A geometry of shapely has no names of its coordinates.
        such_as = (
            "Polygon((x, y), geometry)"
            if hasattr(domain, "geom_type")
            else "a Box({...}), a Disk, a Polygon, ..."
        )
        raise ProblemError(f"The domain is a {type(domain).__name__}; give {such_as}")
    return domain


def components(equations: Any) -> list[Any]:
    """Equations of vectors, one for each component."""
    return [
        item
        for written in listed(equations, "equations")
        for item in (list(written) if isinstance(written, sympy.MatrixBase) else [written])
    ]


def real_equations(written: Sequence[Any]) -> tuple[sympy.Expr, ...]:
    """Equations as expressions; a complex one is two."""
    return tuple(
        half
        for number, item in enumerate(written, start=1)
        for half in _halves(item, f"Equation {number}")
    )


def _halves(written: Any, where: str) -> list[sympy.Expr]:
    return split_equation(as_expression(written, where, complex_too=True), where)


def real_conditions(conditions: Any, domain: Domain) -> tuple[Requirement, ...]:
    """Conditions at places of the domain; a complex one is two."""
    return tuple(
        half
        for item in listed(conditions, "conditions")
        for half in split_requirement(_fitted(item, domain))
    )


def _fitted(item: Any, domain: Domain) -> Any:
    """A condition whose place is rid of round-off; what is no condition is refused later."""
    if not isinstance(item, Requirement):
        return item
    place = item.place
    fitted = place.fitted_to(domain)
    return item if fitted is place or fitted.key == place.key else item.within(Kept(fitted))


def real_observations(observations: Any, domain: Domain) -> tuple[Any, ...]:
    """Observations with columns in the domain's order; complex ones are two."""
    return tuple(
        half
        for item in listed(observations, "observations")
        for half in split_requirement(
            item.in_order(domain.coordinates) if isinstance(item, Observations) else item
        )
    )


def given_again(
    problem: "Problem", singular: Sequence[Mapping[Any, Sequence[sympy.Expr]]] | None = None
) -> dict[str, Any]:
    """The arguments that make a problem anew, with other singular functions if these are given."""
    said = problem.statement or problem
    given = {
        "equations": said.equations,
        "conditions": said.conditions,
        "unknowns": _given_unknowns(problem),
        "observations": said.observations,
    }
    if problem.statement is None:
        table = problem.singular.items()
        own = {item: list(functions.values()) for item, functions in table}
        before = None if problem.tries_singular else own
        chosen = before if singular is None else singular[0]
        return {"domain": problem.domain, **given, "singular": chosen}
    regions = problem.statement.regions
    each = [own.singular for own in regions] if singular is None else singular
    again = [
        Region(own.domain, own.values, singular=functions, name=own.name)
        for own, functions in zip(regions, each, strict=True)
    ]
    return {**given, "regions": again, "interface": problem.statement.interface}


def _given_unknowns(problem: "Problem") -> dict[sympy.Symbol, Any]:
    """The unknowns as they were given: guess and bounds, or a prior with them."""
    priors = {item.expression: item.prior for item in problem.priors}
    return {
        symbol: Prior(priors[symbol].mean, priors[symbol].std, guess, *problem.bounds[symbol])
        if symbol in priors
        else (guess, *problem.bounds[symbol])
        for symbol, guess in problem.unknowns.items()
        if symbol not in problem.amplitudes
    }

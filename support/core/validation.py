"""Checking what comes from outside: the fields of a configuration, the arguments of a function.

The annotations are the rules, and `pydantic` applies them strictly: no string is taken for a number, no
``True`` for 1, no NaN for a float. It is imported when something is checked for the first time.
"""

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, is_dataclass
from numbers import Number
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Optional,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Gt, Le, Lt
from torch import Tensor

from support.core.errors import InputError

Count = Annotated[int, Ge(1), Lt(2**31)]
Depth = Annotated[int, Ge(1), Le(10_000)]  # layers; a million would be built without end
CountOrZero = Annotated[int, Ge(0), Lt(2**31)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Ge(0), Lt(1)]
Seed = Annotated[int, Ge(-(2**63)), Lt(2**64)]  # what torch takes

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist, _SHORT.maxtuple, _SHORT.maxother = 1, 2, 4, 4, 60

P = ParamSpec("P")
T = TypeVar("T")
Config = TypeVar("Config", bound="BaseConfig")

# A field with this default may be left out: the record puts the usual choice there when it is made. So who
# reads it never meets None, and who writes it may give None.
USUAL: Any = None
if TYPE_CHECKING:

    class OrUsual(Generic[T]):
        def __get__(self, instance: object, owner: Any) -> T: ...
        def __set__(self, instance: object, value: T | None) -> None: ...

else:
    OrUsual = Optional


def check(name: str, value: object, annotation: Any) -> None:
    """Refuse a value that is not of the annotated type, or outside its limits.

    Args:
        name: what the value is called in the message.
        value: what was given.
        annotation: a type; ``Annotated`` adds limits to it.

    Raises:
        InputError: the value does not fit.

    >>> check("n_layers", 2, Count)
    >>> check("n_layers", "two", Count)
    Traceback (most recent call last):
    support.core.errors.InputError: n_layers='two' must be a valid integer.
    """
    from pydantic import ValidationError

    try:
        _adapter(annotation).validate_python(plain(value))
    except ValidationError as error:
        raise InputError(_sentence(name, value, error.errors())) from None


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's own; everything else as it is.

    >>> import numpy as np
    >>> plain(np.int64(3)), plain("three")
    (3, 'three')
    """
    return value.item() if type(value).__module__ == "numpy" and value.shape == () else value


def as_list(name: str, values: Any, annotation: Any) -> list[Any]:
    """The values as a list, each of which fits the annotation; one string is no list of strings.

    Raises:
        InputError: there is nothing to list, or an item does not fit.

    >>> as_list("tokens", ("a", "b"), str)
    ['a', 'b']
    >>> as_list("tokens", "ab", str)
    Traceback (most recent call last):
    support.core.errors.InputError: tokens='ab' must be a list, not one string.
    """
    if isinstance(values, str | bytes):
        raise InputError(f"{name}={_SHORT.repr(values)} must be a list, not one string.")
    if not isinstance(values, Iterable):
        raise InputError(f"{name}={_SHORT.repr(values)} must be a list.")
    items = list(values)
    check(name, items, list[annotation])
    return items


@functools.cache
def _adapter(annotation: Any) -> Any:
    from pydantic import ConfigDict, InstanceOf, TypeAdapter

    if is_dataclass(annotation):  # checked when it was made; pydantic would read its fields again
        return TypeAdapter(InstanceOf[annotation])
    rules: ConfigDict = {"strict": True, "allow_inf_nan": False, "arbitrary_types_allowed": True}
    own = hasattr(annotation, "__pydantic_config__")  # a TypedDict with rules of its own
    return TypeAdapter(annotation, config=None if own else rules)


def _sentence(name: str, value: object, errors: list[Any]) -> str:
    """The first thing that pydantic found; what it expected instead may be one of several."""
    place, given = errors[0]["loc"], errors[0]["input"]
    if place and isinstance(place[0], str) and not isinstance(value, dict):
        place = ()  # of a union: pydantic names the kind that it tried
    expected = list(dict.fromkeys(_expected(e) for e in errors if e["loc"] == place or not place))
    if place and not isinstance(place[0], int):  # inside a dict: its key leads there
        name, value = f"{name}: {'.'.join(map(str, place))}", given
        if errors[0]["type"] == "missing":
            return f"{name} is missing."
        if errors[0]["type"] == "extra_forbidden":
            return f"{name} is not known here."
    where = f" (item {place[0]})" if place and isinstance(place[0], int) else ""
    return f"{name}={_SHORT.repr(value)} must be {' or '.join(expected)}{where}."


def _expected(error: Any) -> str:
    if error["type"] == "missing":
        return "longer: an item is missing"
    return error["msg"].removeprefix("Input should be ").replace("Tuple should have", "a tuple of")


def holds_only_its_fields(cls: Any) -> Any:
    """A `TypedDict` that `check` refuses with a field that it does not name."""
    cls.__pydantic_config__ = {"extra": "forbid", "strict": True}
    return cls


def may_hold_more(cls: Any) -> Any:
    """A `TypedDict` that `check` accepts with fields that it does not name."""
    cls.__pydantic_config__ = {"extra": "allow", "strict": True}
    return cls


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """A function whose arguments are checked against its annotations.

    Raises:
        InputError: when it is called with an argument that does not fit.

    >>> @checked
    ... def repeat(text: str, times: Count) -> str:
    ...     return text * times
    >>> repeat("ha", times=2)
    'haha'
    >>> repeat("ha", times=2.0)
    Traceback (most recent call last):
    support.core.errors.InputError: repeat: times=2.0 must be a valid integer.
    """
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__").split(".<locals>.")[-1]

    @functools.cache
    def hints() -> dict[str, Any]:
        return get_type_hints(function, include_extras=True)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for argument, value in signature.bind(*args, **kwargs).arguments.items():
            if argument in hints():
                check(f"{name}: {argument}", value, hints()[argument])
        return function(*args, **kwargs)

    return call


@dataclass(frozen=True)
class BaseConfig:
    """What the frozen dataclasses of settings share: checked fields, and the way to JSON and back.

    A subclass that checks more does so in its ``__post_init__`` after this one's. A list is taken for a
    field that is a tuple, because JSON has no tuples.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Coffee(BaseConfig):
    ...     cups: Count = 1
    ...     sugar: NonNegative = 0.0
    >>> Coffee.from_dict({"cups": 2})
    Coffee(cups=2, sugar=0.0)
    >>> Coffee(sugar=-1)
    Traceback (most recent call last):
    support.core.errors.InputError: Coffee: sugar=-1 must be greater than or equal to 0.
    """

    # The tests check all signatures by beartype; here it would only hide the sentences.
    __no_type_check__ = True

    def __post_init__(self) -> None:
        for name, hint in field_types(type(self)).items():
            value = plain(getattr(self, name))
            if isinstance(value, list) and any(get_origin(kind) is tuple for kind in (hint, *get_args(hint))):
                value = tuple(value)
            check(f"{type(self).__name__}: {name}", value, hint)
            # For pydantic whatever turns into a float is one: a fraction, a decimal, a tensor of one number.
            other = isinstance(value, Number | Tensor) and not isinstance(value, bool | int | float)
            self._set(name, float(value) if other else value)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the record is frozen for everybody else

    def _refuse_unless(self, fine: bool, sentence: str) -> None:
        if not fine:
            raise InputError(f"{type(self).__name__}: {sentence}.")

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values, for JSON."""
        values = asdict(self)
        plain: dict[type, Any] = {tuple: list, dict: dict}
        return {
            name: next((make(value) for kind, make in plain.items() if isinstance(value, kind)), value)
            for name, value in values.items()
        }

    @classmethod
    def from_dict(cls: type[Config], values: Any) -> Config:
        """The record that `to_dict` wrote.

        Raises:
            InputError: a field is unknown (a newer file, or a typing error), missing, or wrong; it is named.
        """
        if not isinstance(values, dict):
            kind = type(values).__name__
            raise InputError(f"{cls.__name__}: the values must be a dict by field name, not a {kind}.")
        known = {f.name: f for f in fields(cls)}
        if unknown := sorted(str(name) for name in values if name not in known):
            raise InputError(
                f"{cls.__name__}: unknown fields {unknown}; remove them, or update this package if a newer "
                "version wrote them."
            )
        if missing := [n for n, f in known.items() if f.default is f.default_factory and n not in values]:
            raise InputError(f"{cls.__name__}: {missing[0]} is missing; give it.")
        return cls(**values)


def field_types(cls: type[BaseConfig]) -> dict[str, Any]:
    """The annotation of each field by its name, limits included.

    >>> field_types(BaseConfig)
    {}
    """
    return {f.name: f.type for f in fields(cls)}

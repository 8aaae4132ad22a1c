"""What checks the signatures of the package in every test: shapes by jaxtyping, everything else by beartype.

Whether arguments and result suit a signature follows from their kinds: of a tensor its shape and its
precision, of a list the kind of one item, as beartype reads it. So each combination of kinds is checked in
full the first time that a function meets it, and then remembered: binding the arguments anew costs 30 µs a
call, a fifth of all that the unit tests took.
"""

import dataclasses
import functools
import inspect
import random
import threading
import types
import typing

import jaxtyping
import torch
from beartype import BeartypeConf, beartype

SHAPED = jaxtyping.jaxtyped  # checks what beartype checks, and that equal names of axes are equal lengths
ALONE = beartype(conf=BeartypeConf(violation_type=jaxtyping.TypeCheckError))  # one kind of error for both
FEW = 8  # items of a list that are all looked at
DRAW = random.Random(0)  # not the tests' own
OF_CODE = {}  # the checks of inner functions


def names_axes(annotation) -> bool:
    """Whether a shape stands in an annotation, or may stand there, in one that is a string."""
    if isinstance(annotation, str) or type(annotation).__module__.startswith("jaxtyping"):
        return True
    if isinstance(annotation, list | tuple):  # the arguments of a Callable
        return any(map(names_axes, annotation))
    return any(map(names_axes, typing.get_args(annotation)))


def keeps(kind: type) -> bool:
    """Whether a class is a dataclass without shapes, whose own ``__init__`` only keeps what it is given."""
    made = "__dataclass_params__" in vars(kind) and kind.__dataclass_params__.init
    if not made or hasattr(kind, "__post_init__"):
        return False
    return not any(names_axes(field.type) for field in dataclasses.fields(kind))


def kind(value):
    """What a check of ``value`` depends on; a word and a switch stand for themselves (``Literal``)."""
    this = type(value)
    if this in (str, bool):
        return value
    if this in (list, tuple, set, frozenset, dict):
        items = list(value.items()) if this is dict else value
        if len(items) > FEW:
            items = [DRAW.choice(items) if this in (list, tuple) else next(iter(items))]
        return this, *map(kind, items)
    if hasattr(value, "shape") and hasattr(value, "dtype"):  # of torch or of numpy
        return this, tuple(value.shape), value.dtype
    return this


def by_code(check, function):
    """An inner function that is checked: each call of the outer one makes it anew, but its check is kept."""
    code = function.__code__
    if code not in OF_CODE:
        now = threading.local()

        def latest(*args, **kwargs):
            return now.function(*args, **kwargs)

        cells = tuple(types.CellType() for _ in code.co_freevars)  # nothing of the outer call is kept alive
        form = types.FunctionType(code, function.__globals__, closure=cells)
        form.__kwdefaults__, form.__defaults__ = function.__kwdefaults__, function.__defaults__
        functools.update_wrapper(form, function)
        del form.__wrapped__
        latest = types.FunctionType(latest.__code__, function.__globals__, closure=latest.__closure__)
        OF_CODE[code] = now, check(functools.wraps(form)(latest))
    now, checked_latest = OF_CODE[code]

    def called(*args, **kwargs):
        now.function = function
        return checked_latest(*args, **kwargs)

    return called


def at_first_call(check, function):
    """A function that is checked, but made only when it is called: most are not, in one process."""
    made = functools.cache(lambda: check(function))

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return (function if torch.compiler.is_compiling() else made())(*args, **kwargs)

    return wrapper


def remembering(function, typechecker):
    """`jaxtyped`, but in full only for kinds of arguments, or of their result, that are new."""
    results, known = threading.local(), set()

    def given_back(*args, **kwargs):
        return results.last

    full = SHAPED(function, typechecker=typechecker)
    same = types.FunctionType(given_back.__code__, function.__globals__, closure=given_back.__closure__)
    only_result = at_first_call(
        functools.partial(SHAPED, typechecker=typechecker), functools.wraps(function)(same)
    )

    def wrapper(*args, **kwargs):
        given = kind(args), kind(kwargs)
        if given not in known:
            result = full(*args, **kwargs)
            known.update((given, (given, kind(result))))
            return result
        result = function(*args, **kwargs)
        if (given, kind(result)) not in known:
            results.last = result
            only_result(*args, **kwargs)
            known.add((given, kind(result)))
        return result

    return wrapper


def checked(function=None, *, typechecker=None):
    """A signature with shapes `remembering` what was checked; beartype alone for one without.

    A dataclass that only keeps what it is given is checked by beartype too. Another class goes by way of
    its ``__init__`` and a property by way of its functions.
    """
    if function is None:
        return lambda function: checked(function, typechecker=typechecker)
    if inspect.isclass(function) and keeps(function):
        function.__init__ = ALONE(function.__init__)
        return function
    if not inspect.isfunction(function):
        return SHAPED(function, typechecker=typechecker)
    if not function.__annotations__:
        return function
    shaped = any(map(names_axes, function.__annotations__.values()))
    check = functools.partial(remembering, typechecker=typechecker) if shaped else ALONE
    if "<locals>" in function.__qualname__ and not inspect.isgeneratorfunction(function):
        check = functools.partial(by_code, check)
    return at_first_call(check, function)

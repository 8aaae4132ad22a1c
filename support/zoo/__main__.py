"""The zoo's command line: ``python -m support.zoo build NAME``, ``card NAME``, ``list``."""

import argparse
import json
import sys

from support.core import InputError
from support.zoo.build import build
from support.zoo.entry import load
from support.zoo.recipe import OTHERS, RECIPES, maker, recipe


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit status.

    >>> main(["list"])
    assistant
    calling-game
    semantic
    shop
    stories
    stories-small
    0
    """
    parser = argparse.ArgumentParser(prog="python -m support.zoo", description="The book's small models.")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="train a model afresh and write it with its card")
    making.add_argument("name")
    making.add_argument("--seed", type=int, action="append", help="train this seed (may be repeated)")
    making.add_argument("--out", help="write to this folder instead of the package")
    commands.add_parser("card", help="show how a model was made").add_argument("name")
    commands.add_parser("list", help="the names of all models")
    given = parser.parse_args(arguments)
    try:
        if given.command == "build" and given.name in OTHERS:
            maker(given.name).build(given.out, given.seed or (0, 1, 2))
        elif given.command == "build":
            build(recipe(given.name), given.out, given.seed)
        elif given.command == "card":
            print(json.dumps(load(given.name).card, indent=1, ensure_ascii=False))
        else:
            print("\n".join(sorted({**RECIPES, **OTHERS})))
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

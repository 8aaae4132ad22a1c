"""The ledger of the sources' claims: recompute every one, and say whether its verdict follows.

usage: python tools/ledger.py [--write] [--table] [ID ...]

    (nothing)   recompute all; print what no longer follows; exit 1 if there is any
    ID ...      print these claims with their code, the printed value and ours
    --write     store our values anew (the verdicts are a reader's: they are never written)
    --table     print the count of claims by source and verdict, and how many go through `support`

The claims are functions in `book/ledger`, one file for each source or part of a source; how one is written
is said in `book/ledger/claims.py`.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from book.ledger import claims, code


def show(it: claims.Claim) -> None:
    """A claim as the errata page has it."""
    print(f"{it.id} · {it.place} · {it.verdict}\n    {it.claim}\n    {it.why}")
    if it.computed:
        lines = "\n".join(filter(None, [code.constants(it.compute), code.body(it.compute)]))
        print("    " + lines.replace("\n", "\n    "))
        print(f"    printed {it.stated}, ours {claims.recompute(it)}")


def table() -> None:
    """The number of claims by source and verdict."""
    for name, count in claims.counts().items():
        counted = (f"{verdict} {count[verdict]:4}" for verdict in claims.VERDICTS)
        print(f"{claims.SOURCES[name]:28}", *counted, sum(count.values()))


def main() -> int:
    reader = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    reader.add_argument("ids", nargs="*")
    reader.add_argument("--write", action="store_true")
    reader.add_argument("--table", action="store_true")
    wanted = reader.parse_args()
    everything = claims.claims()
    if wanted.ids:
        for it in everything:
            if it.id in wanted.ids:
                show(it)
        return 0
    computed = [it for it in everything if it.computed]
    if wanted.write:
        claims.store({it.id: claims.recompute(it) for it in computed})
    found = [line for it in computed for line in claims.problems(it)]
    print(*found, sep="\n")
    if wanted.table:
        table()
    through = sum(bool(code.through(it.compute)) for it in computed)
    print(
        f"{len(everything)} claims, {len(computed)} computed, {through} of them through support, "
        f"{len(found)} problems"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

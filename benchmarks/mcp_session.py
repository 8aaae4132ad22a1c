"""A session of the Model Context Protocol, message by message. Writes records/mcp_session.json.

    python benchmarks/mcp_session.py

The official client speaks with the book's server; between them stands this script, which copies every line.
It needs the extra `tools`. The shop model's harness uses the server's calculator in the same session.
"""

import json
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from recording import keep_record, made_by

from support import zoo
from support.alignment.harness import Harness
from support.alignment.mcp import Session
from support.alignment.tools import ToolError
from support.core import seed_everything

ROOT = Path(__file__).parents[1]
QUESTION = "rosa has 347 apples . rosa buys 585 more . how many ?"


def between(log: str) -> None:
    """Start the server, copy what the client says to it and what it answers, and write both down."""
    server = subprocess.Popen(
        [sys.executable, "-m", "support.alignment"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin and server.stdout
    lock = threading.Lock()

    def copy(source, target, who):
        for line in source:
            with lock, open(log, "a", encoding="utf8") as file:
                file.write(json.dumps({"from": who, "message": json.loads(line)}) + "\n")
            target.write(line)
            target.flush()
        target.close()

    answers = threading.Thread(target=copy, args=(server.stdout, sys.stdout, "server"))
    answers.start()
    copy(sys.stdin, server.stdin, "client")
    answers.join()
    server.wait()


def session() -> tuple[list[dict], list[str]]:
    """The messages of one session, and the belt of the model whose calculator the server was."""
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        command = [sys.executable, __file__, "--between", log]
        with Session(command, env={"PYTHONPATH": str(ROOT)}) as client:
            client.list_tools()
            client.call("search_book", {"query": "perplexity", "results": 1})
            client.call("run_lens", {"model": "calling-game", "text": "Pietro chiama Paolo Tarso"})
            with suppress(ToolError):
                client.call("calculate", {"expression": "2+x"})
            shop = zoo.load("shop")
            tools = {"calc": client.tool("calculate", "expression")}
            belt = Harness(shop.model, shop.vocabulary, tools).run(QUESTION)
        lines = Path(log).read_text(encoding="utf8").splitlines()
    return [json.loads(line) for line in lines], belt.tokens


def main() -> None:
    if sys.argv[1:2] == ["--between"]:
        between(sys.argv[2])
        return
    seed_everything()
    messages, tokens = session()
    keep_record(
        "mcp_session",
        {**made_by("mcp_session"), "package": f"mcp {version('mcp')}", "messages": messages, "belt": tokens},
    )
    print(len(messages), "messages;", " ".join(tokens))


if __name__ == "__main__":
    main()

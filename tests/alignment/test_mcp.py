"""MCP: the official client against our server, over a real process; and the recorded session."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from support import zoo
from support.alignment.harness import Harness
from support.alignment.mcp import Session
from support.alignment.tools import ToolError

ROOT = Path(__file__).parents[2]
QUESTION = "rosa has 347 apples . rosa buys 585 more . how many ?"


@pytest.fixture(scope="module")
def session():
    pytest.importorskip("mcp")
    env = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
    with Session((sys.executable, "-m", "support.alignment"), env=env) as opened:
        yield opened


def test_the_server_offers_the_books_tools(session):
    tools = {tool["name"]: tool for tool in session.list_tools()}
    assert set(tools) == {"calculate", "ask_zoo", "run_lens", "search_book"}
    assert tools["calculate"]["inputSchema"]["required"] == ["expression"]
    assert all(tool["description"] for tool in tools.values())


def test_each_tool_answers(session):
    assert session.call("calculate", {"expression": "12*(3+4)"}) == "84"
    assert "chiama" in session.call("ask_zoo", {"model": "calling-game", "text": "Pietro"})
    lens = session.call("run_lens", {"model": "calling-game", "text": "Pietro chiama"}).splitlines()
    assert len(lens) == 2 * zoo.load("calling-game").model.config.n_layers + 1
    found = session.call("search_book", {"query": "perplexity", "results": 2})
    assert len(found.split("\n\n")) >= 2 and re.match(r"\w+: ", found)


def test_a_refusal_reaches_the_client_as_an_error(session):
    with pytest.raises(ToolError, match="leave out 'x'"):
        session.call("calculate", {"expression": "2+x"})
    with pytest.raises(ToolError, match="no model 'gpt'"):
        session.call("ask_zoo", {"model": "gpt"})


def test_the_harness_uses_a_tool_of_the_server(session):
    shop = zoo.load("shop")
    belt = Harness(shop.model, shop.vocabulary, {"calc": session.tool("calculate", "expression")}).run(
        QUESTION
    )
    assert belt.answer() == "9 3 2" and belt.calls[0].result == "932"


def test_the_recorded_session_is_json_rpc_and_answers_every_request():
    record = zoo.record("mcp_session")
    messages = [entry["message"] for entry in record["messages"]]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    asked = {m["id"]: m for e in record["messages"] if e["from"] == "client" and "id" in (m := e["message"])}
    answered = {m["id"] for e in record["messages"] if e["from"] == "server" and "id" in (m := e["message"])}
    assert set(asked) == answered
    called = [m["params"]["name"] for m in asked.values() if m["method"] == "tools/call"]
    assert called == ["search_book", "run_lens", "calculate", "calculate"]
    assert " ".join(record["belt"]).endswith("<result> 9 3 2 </result> <answer> 9 3 2 <EOS>")
    assert len(json.dumps(record)) < 60_000


def test_without_the_package_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ImportError, match=r"neuron-to-assistant\[tools\]"):
        Session()

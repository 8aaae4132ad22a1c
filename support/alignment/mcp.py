"""The Model Context Protocol: our tools for other programs, and other programs' tools for our harness.

Both sides use the official package ``mcp``, which the extra ``tools`` installs; nothing else needs it.
"""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from support.alignment.tools import ToolError
from support.core import optional


def make_server(name: str, tools: Mapping[str, Callable[..., str]], instructions: str = "") -> Any:
    """A server that offers Python functions as tools; `run_server` lets it speak over its input and output.

    Args:
        name: of the server, as clients show it.
        tools: name → function. Its annotations become the schema of its arguments, its docstring the
            description that a model reads. A `ToolError` becomes an error that the client sees.
        instructions: what the client should know about the server as a whole.

    Raises:
        ImportError: the extra ``tools`` is not installed.
    """
    mcp_server = optional("mcp.server", extra="tools")
    server = mcp_server.MCPServer(name, instructions=instructions or None)
    for tool, function in tools.items():
        server.add_tool(_told(function), name=tool)
    return server


def _told(function: Callable[..., str]) -> Callable[..., str]:
    """The function, whose refusals the client may read; other errors stay inside the server."""
    refusal = optional("mcp.server.mcpserver.exceptions", extra="tools").ToolError

    @functools.wraps(function)
    def told(*args: Any, **named: Any) -> str:
        try:
            return function(*args, **named)
        except ToolError as error:
            raise refusal(str(error)) from None

    return told


def run_server(server: Any) -> None:
    """Serve until the input ends: one JSON-RPC message a line, requests in, answers out."""
    server.run("stdio")


@dataclass(frozen=True)
class RemoteTool:
    """A tool of an MCP server, for a harness: the request becomes its one argument.

    Attributes:
        session: speaks to the server.
        name: of the tool there.
        argument: the name of the argument that takes the request.
    """

    session: "Session"
    name: str
    argument: str

    def __call__(self, request: str) -> str:
        """What the server's tool says.

        Raises:
            ToolError: the server marked its answer as an error.
        """
        return self.session.call(self.name, {self.argument: request})


class Session:
    """A client that starts an MCP server as a process, and asks it, one request after the other.

    Use it in a ``with`` statement: the process ends with the block.

    Args:
        command: how the server is started; by default this package's own, ``python -m support.alignment``.
        env: its environment variables; few are inherited otherwise.
        mode: ``"legacy"``: begin with the ``initialize`` handshake, which every server knows. ``"auto"`` asks
            first for the newer ``server/discover``, and does not wait long for a server that starts slowly.

    Raises:
        ImportError: the extra ``tools`` is not installed.
    """

    def __init__(
        self, command: Sequence[str] = (), env: Mapping[str, str] | None = None, mode: str = "legacy"
    ) -> None:
        self._mode, mcp = mode, optional("mcp", extra="tools")
        program, *arguments = command or (sys.executable, "-m", "support.alignment")
        self._server = mcp.StdioServerParameters(command=program, args=list(arguments), env=dict(env or {}))

    def __enter__(self) -> "Session":
        # The package is asynchronous; a portal runs its event loop in a thread beside ours.
        from_thread = optional("anyio.from_thread", extra="tools")
        with ExitStack() as stack:
            self._portal = stack.enter_context(from_thread.start_blocking_portal())
            client = optional("mcp", extra="tools").Client(self._server, mode=self._mode)
            self._client = stack.enter_context(self._portal.wrap_async_context_manager(client))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._stack.__exit__(*problem)

    def list_tools(self) -> list[dict[str, Any]]:
        """Name, description and schema of every tool that the server offers."""
        listed = self._portal.call(self._client.list_tools)
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool; the text of its result.

        Raises:
            ToolError: the server marked the result as an error.
        """
        result = self._portal.call(self._client.call_tool, name, dict(arguments))
        text = "\n".join(part.text for part in result.content if getattr(part, "text", None))
        if result.is_error:
            raise ToolError(text or f"The tool {name!r} failed.")
        return text

    def tool(self, name: str, argument: str) -> RemoteTool:
        """One of its tools, as a harness takes it."""
        return RemoteTool(self, name, argument)

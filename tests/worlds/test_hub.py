"""Against files, and a server of the tests on this machine: it can break off, change, and ignore ranges."""

import http.server
import threading

import pytest

from support.core import InputError
from support.worlds import hub, load_text, stream_documents, tinystories

STORIES = [f"Story {i}: Paolo è un piccolo ragno. " + "He spins and spins. " * 40 for i in range(300)]
BODY = "<|endoftext|>\n".join(STORIES).encode()


class Server(http.server.ThreadingHTTPServer):
    """Serves `body`; remembers what was asked and how much was sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.tag, self.ranges, self.status = BODY, '"v1"', True, 200
        self.break_after: int | None = None  # close the connection after so many bytes, once
        self.requests: list[str | None] = []
        self.sent = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/stories.txt"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server, wish = self.server, self.headers.get("Range")
        server.requests.append(wish)
        if server.status != 200:
            self.send_error(server.status)
            return
        start = 0
        if wish and server.ranges and self.headers.get("If-Range", server.tag) == server.tag:
            start = int(wish.removeprefix("bytes=").removesuffix("-"))
            total = f"/{len(server.body)}"
            if start >= len(server.body):
                self.send_response(416)
                self.send_header("Content-Range", "bytes *" + total)
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(server.body) - 1}" + total)
        else:
            self.send_response(200)
        self.send_header("ETag", server.tag)
        self.send_header("Content-Length", str(len(server.body) - start))
        self.end_headers()
        body = server.body[start:]
        if server.break_after is not None:
            body, server.break_after = body[: server.break_after], None
        try:
            server.sent += len(body)  # before the reader can have them all
            self.wfile.write(body)
        except ConnectionError:
            pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv("SUPPORT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(hub.time, "sleep", lambda _: None)
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def kept(suffix="stories.txt"):
    return [p for p in hub.cache_folder().glob("*") if p.name.endswith(suffix)]


def test_files(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(BODY)
    assert load_text(path) == load_text(str(path)) == BODY.decode()
    assert load_text(path, limit=17) == BODY.decode()[:17] and load_text(path, limit=0) == ""
    assert list(stream_documents(path)) == [s.strip() for s in STORIES]
    assert list(tinystories(path_or_url=path, limit=2)) == [s.strip() for s in STORIES[:2]]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_characters_and_separators_cut_in_two(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(hub, "CHUNK", chunk)
    path = tmp_path / "a.txt"
    path.write_text("è😀<|endoftext|> \n<|endoftext|>fine.", encoding="utf-8")
    assert list(stream_documents(path)) == ["è😀", "fine."]


def test_a_web_file_is_fetched_once(server):
    assert load_text(server.url) == BODY.decode()
    assert load_text(server.url) == BODY.decode()
    assert list(stream_documents(server.url))[-1] == STORIES[-1].strip()
    assert server.requests == [None] and len(kept()) == 1 and kept(".part") == kept(".tag") == []


def test_only_what_is_wanted_is_fetched_and_the_rest_later(server):
    server.body = BODY * 40
    first = next(tinystories(path_or_url=server.url))
    assert first == STORIES[0].strip()
    part = kept(".part")[0].stat().st_size
    assert 0 < part < len(server.body) / 4
    assert load_text(server.url) == server.body.decode()
    assert server.requests == [None, f"bytes={part}-"]


def test_the_kept_beginning_serves_without_network(server):
    load_text(server.url, limit=10)
    server.shutdown()
    server.server_close()
    assert load_text(server.url, limit=10) == BODY.decode()[:10]


def test_a_broken_connection_is_taken_up_again(server):
    server.break_after = 100_000
    assert load_text(server.url) == BODY.decode()
    assert server.requests == [None, "bytes=100000-"] and server.sent == len(BODY)


def test_a_server_that_keeps_breaking_gives_an_error_and_the_next_call_goes_on(server, monkeypatch):
    monkeypatch.setattr(hub, "TRIES", 1)
    server.break_after = 70_000
    with pytest.raises(ConnectionError, match=r"70,000 bytes of it are kept: connect"):
        load_text(server.url)
    assert load_text(server.url) == BODY.decode()
    assert server.requests == [None, "bytes=70000-"]


def test_a_server_without_ranges(server):
    server.ranges = False
    server.break_after = 70_000
    assert load_text(server.url) == BODY.decode()
    assert len(server.requests) == 2


def test_all_there_but_not_yet_renamed(server):
    load_text(server.url)
    whole = kept()[0]
    whole.rename(whole.with_name(whole.name + ".part"))
    assert load_text(server.url) == BODY.decode() and kept() == [whole]
    assert server.sent == len(BODY)


def test_a_file_that_changed_meanwhile_is_not_glued_together(server, monkeypatch):
    monkeypatch.setattr(hub, "TRIES", 1)
    server.break_after = 70_000
    with pytest.raises(ConnectionError):
        load_text(server.url)
    server.body, server.tag = BODY.upper(), '"v2"'
    with pytest.raises(ConnectionError, match="has changed"):
        load_text(server.url)
    assert load_text(server.url) == BODY.upper().decode()


def test_an_empty_web_file(server):
    server.body = b""
    assert load_text(server.url) == "" and len(kept()) == 1


def test_errors_say_what_to_do(server, tmp_path):
    server.status = 404
    with pytest.raises(InputError, match="answers 404 Not Found; check the address"):
        load_text(server.url)
    assert len(server.requests) == 1
    server.status = 503
    with pytest.raises(ConnectionError, match=r"cannot be reached .* give the path of a file"):
        load_text(server.url)
    assert len(server.requests) == 1 + hub.TRIES
    server.shutdown()
    server.server_close()
    with pytest.raises(ConnectionError, match="cannot be reached"):
        next(tinystories(path_or_url=server.url))
    for wrong, message in [
        ("ftp://example/a.txt", "kind ftp://"),
        (tmp_path / "none.txt", "no file"),
        (tmp_path, "cannot be read"),
    ]:
        with pytest.raises(InputError, match=message):
            load_text(wrong)
    (tmp_path / "latin.txt").write_bytes("perché".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_text(tmp_path / "latin.txt")
    with pytest.raises(InputError, match="no part 'test'"):
        tinystories("test")
    with pytest.raises(InputError, match="negative"):
        load_text(tmp_path / "latin.txt", limit=-1)
    with pytest.raises(InputError, match="separator is empty"):
        next(stream_documents(tmp_path / "latin.txt", separator=""))

"""Against files, and a server of the tests on this machine: it can break off, change, lie, and be slow."""

import errno
import http.server
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.core import InputError
from support.worlds import download, download_cache, hub, load_text, stream_documents, tinystories

STORIES = [f"Story {i}: Paolo è un piccolo ragno. " + "He spins and spins. " * 40 for i in range(300)]
BODY = "<|endoftext|>\n".join(STORIES).encode()


class Server(http.server.ThreadingHTTPServer):
    """Serves `body`; remembers what was asked and how much was sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.tag, self.ranges, self.status = BODY, '"v1"', True, 200
        self.break_after: int | None = None  # close the connection after so many bytes, once
        self.kind = "text/plain"
        self.answered_range: str | None = None  # what a 206 says instead of the truth
        self.pause = 0.0  # after every ten bytes
        self.requests: list[str | None] = []
        self.sent = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/stories.txt"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server, asked = self.server, self.headers.get("Range")
        server.requests.append(asked)
        if server.status != 200:
            self.send_error(server.status)
            return
        start = 0
        if asked and server.ranges and self.headers.get("If-Range", server.tag) == server.tag:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            total = f"/{len(server.body)}"
            if start >= len(server.body):
                self.send_response(416)
                self.send_header("Content-Range", "bytes *" + total)
                self.end_headers()
                return
            self.send_response(206)
            true = f"bytes {start}-{len(server.body) - 1}" + total
            self.send_header("Content-Range", server.answered_range or true)
        else:
            self.send_response(200)
        if server.tag:
            self.send_header("ETag", server.tag)
        self.send_header("Content-Type", server.kind)
        self.send_header("Content-Length", str(len(server.body) - start))
        self.end_headers()
        body = server.body[start:]
        if server.break_after is not None:
            body, server.break_after = body[: server.break_after], None
        try:
            server.sent += len(body)  # before the reader can have them all
            for i in range(0, len(body), 10 if server.pause else len(body) or 1):
                self.wfile.write(body[i : i + 10] if server.pause else body)
                time.sleep(server.pause)
        except ConnectionError:
            pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv("SUPPORT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "sleep", lambda _: None)
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
    assert server.requests == [None] and len(kept()) == 1


def test_only_what_is_wanted_is_fetched_and_the_rest_later(server):
    server.body = BODY * 40
    first = next(tinystories(path_or_url=server.url))
    assert first == STORIES[0].strip()
    part = kept()[0].stat().st_size
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
    monkeypatch.setattr(download, "TRIES", 1)
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


def test_all_there_but_not_known_to_be(server):
    load_text(server.url)
    index = kept(".index")[0]
    index.write_text(index.read_text().removesuffix("end\n"))
    assert load_text(server.url) == BODY.decode()
    assert server.sent == len(BODY) and index.read_text().endswith("\nend\n")


def test_a_file_that_changed_meanwhile_is_not_glued_together(server, monkeypatch):
    monkeypatch.setattr(download, "TRIES", 1)
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
    assert len(server.requests) == 1 + download.TRIES
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
    with pytest.raises(InputError, match="limit=-1"):
        load_text(tmp_path / "latin.txt", limit=-1)
    with pytest.raises(InputError, match="separator is empty"):
        next(stream_documents(tmp_path / "latin.txt", separator=""))


def test_readers_side_by_side(server):
    server.body = BODY * 10
    with ThreadPoolExecutor(6) as pool:
        texts = list(pool.map(lambda _: load_text(server.url), range(6)))
    assert texts == [server.body.decode()] * 6
    before = len(server.requests)
    assert load_text(server.url) == texts[0] and len(server.requests) == before


def test_two_readers_in_turn_in_one_thread(server):
    first, second = tinystories(path_or_url=server.url), tinystories(path_or_url=server.url)
    pairs = list(zip(first, second, strict=True))
    assert len(pairs) == len(STORIES) and all(a == b for a, b in pairs)


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "text/plain"])
def test_a_page_to_log_in_is_refused_and_not_kept(server, kind):
    server.kind, server.body = kind, b"\n<!DOCTYPE html><html><body>Please log in"
    for _ in range(2):
        with pytest.raises(InputError, match="answers with a web page"):
            load_text(server.url)
    server.kind, server.body = "text/plain", BODY
    assert load_text(server.url) == BODY.decode()


@pytest.mark.parametrize("tag", ['"v2"', "", 'W/"v2"', '"v1"'])
def test_no_mixture_of_an_old_and_a_new_file(server, tag, monkeypatch):
    """Whether the server marks its versions, does not, does weakly, or gives two files one mark."""
    server.tag = "" if tag == "" else tag if tag.startswith("W/") else '"v1"'
    load_text(server.url, limit=10)
    server.body, server.tag = b"A" * 70_000 + BODY.upper(), tag
    if tag == '"v1"':
        server.ranges = False
    with pytest.raises(ConnectionError, match="has changed"):
        load_text(server.url)
    assert load_text(server.url) == server.body.decode()


@pytest.mark.parametrize("place", [0, 70_000, 200_000])
def test_a_part_that_a_power_cut_left_zeroed_is_fetched_again(server, place):
    load_text(server.url)
    with kept()[0].open("r+b") as file:
        file.seek(place)
        file.write(bytes(1000))
    assert load_text(server.url) == BODY.decode()
    assert len(server.requests) == 2
    assert load_text(server.url) == BODY.decode() and len(server.requests) == 2


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]\n", b'{"tag": ""}\nx y\n', b'{"tag": ""}\n99999999 1\nend\n']
)
def test_an_index_that_is_damaged(server, content):
    load_text(server.url)
    kept(".index")[0].write_bytes(content)
    assert load_text(server.url) == BODY.decode()
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "answer", ["bytes 0-9/10", "bytes 5-", "", "items 3-4/5", f"bytes 70001-{len(BODY)}/9"]
)
def test_a_wrong_part_is_not_taken(server, answer):
    server.break_after = 70_000
    server.answered_range = answer or "nothing"
    assert load_text(server.url) == BODY.decode()
    assert server.requests == [None, "bytes=70000-", None]
    assert load_text(server.url) == BODY.decode() and len(server.requests) == 3


def test_a_text_without_separator_takes_no_quadratic_time(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"abcdefghij" * 2_000_000)
    began = time.process_time()
    assert [len(d) for d in stream_documents(tmp_path / "a.txt")] == [20_000_000]
    assert time.process_time() - began < 2  # once 3 s for a quarter of it, and 41 s for 80 MB


def test_a_slow_server_serves_the_beginning(server):
    server.pause, server.body = 0.05, BODY[:2_000]
    began = time.monotonic()
    assert load_text(server.url, limit=3) == BODY.decode()[:3]
    assert time.monotonic() - began < 5  # all of it would take ten seconds


def test_a_server_that_is_too_slow_is_given_up(server, monkeypatch):
    monkeypatch.setattr(download, "PATIENCE", 0.2)
    monkeypatch.setattr(download, "SLOWEST", 10_000)
    server.pause = 0.05
    with pytest.raises(ConnectionError, match="bytes a second"):
        load_text(server.url)


def test_a_silent_server_is_given_up(server, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    server.pause = 1.0
    with pytest.raises(ConnectionError, match="timed out"):
        load_text(server.url)


def test_a_folder_that_cannot_be_written_says_so_and_reading_goes_on(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SUPPORT_CACHE", str(tmp_path / "file" / "folder"))
    with pytest.warns(UserWarning, match="cannot keep what is fetched .*SUPPORT_CACHE"):
        assert load_text(server.url) == BODY.decode()


def test_a_full_disk_says_so_and_reading_goes_on(server, monkeypatch):
    class Full:
        def __init__(self, file):
            self.file = file

        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self):
            self.file.close()

    begin = download_cache.Kept.begin

    def begin_on_a_full_disk(self, *given):
        begin(self, *given)
        self._files = Full(self._files[0]), self._files[1]

    monkeypatch.setattr(download_cache.Kept, "begin", begin_on_a_full_disk)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert load_text(server.url) == BODY.decode()
    monkeypatch.undo()


def test_addresses_with_umlauts_and_spaces(server):
    assert load_text(server.url.replace("stories", "Märchen und mehr")) == BODY.decode()
    with pytest.raises((InputError, ConnectionError)):
        load_text("http://[::1/x")

import hashlib
import subprocess
import sys

import pytest

from support.core import InputError
from support.worlds import python_prose


def test_it_is_a_good_amount_of_english():
    text = python_prose()
    assert 300_000 < len(text) < 1_000_000
    assert text.count(" the ") > 2_000 and "\ufffd" not in text


def test_another_process_reads_the_same():
    code = "from support.worlds import python_prose as p; import hashlib;"
    code += "print(hashlib.sha256(p().encode()).hexdigest())"
    found = subprocess.check_output([sys.executable, "-c", code], text=True).strip()
    assert found == hashlib.sha256(python_prose().encode()).hexdigest()


def test_a_python_without_help_pages_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(InputError, match="no help pages"):
        python_prose()

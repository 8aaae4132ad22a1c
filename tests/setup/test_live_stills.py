"""Still pictures of live figures leave the page and stay the same pictures."""

import base64
import io
import re

import live_stills
import numpy as np
import pytest
from PIL import Image


def picture(value):
    """A PNG of one colour, as the page carries it and as bytes."""
    out = io.BytesIO()
    Image.fromarray(np.full((3, 5), value, dtype=np.uint8)).save(out, "PNG")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}", out.getvalue()


@pytest.mark.parametrize("place", ["page.html", "book/page.html", "book/deep/page.html"])
def test_each_picture_is_found_from_its_page_byte_for_byte(tmp_path, place):
    pairs = [picture(value) for value in (0, 128, 255)]
    page = tmp_path / place
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("".join(f'<p>one</p><img alt="a" src="{uri}"/>' for uri, _ in pairs), encoding="utf8")
    live_stills.write(tmp_path)
    text = page.read_text(encoding="utf8")
    found = re.findall(r'<p>one</p><img alt="a" src="([^"]*)"/>', text)
    assert [(page.parent / src).read_bytes() for src in found] == [data for _, data in pairs]
    assert "base64" not in text
    live_stills.write(tmp_path)
    assert page.read_text(encoding="utf8") == text


def test_what_is_no_source_of_a_picture_stays(tmp_path):
    uri, _ = picture(7)
    for text in (
        f"<code>{uri}</code>",
        f'<a href="{uri}">x</a>',
        f'<img data-src="{uri}">',
        '<img src="data:,">',
    ):
        assert live_stills.as_files(text, tmp_path / "_images", "") == text
    assert not (tmp_path / "_images").exists()


def test_small_pictures_of_one_sheet_get_its_address(tmp_path):
    uri, data = picture(9)
    sheet = f'<template data-sheet><img src="{uri}" alt=""></template>'
    text = live_stills.as_files(f'{sheet}<img src="sheet:" alt="a"><img src="sheet:" alt="b">', tmp_path, "")
    found = re.findall(r'<img src="([^"]*)" alt="([ab])">', text)
    assert [name for _, name in found] == ["a", "b"] and found[0][0] == found[1][0]
    assert (tmp_path / found[0][0]).read_bytes() == data and "template" not in text

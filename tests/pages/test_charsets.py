"""Decoding: the right charset by mark, header, meta or evidence, and never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.pages.charsets import as_utf_8, codec_of, decoded, looks_binary, name_of

RUSSIAN = "Привет, мир: это текст о птицах"


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=iso-8859-1", "café", "utf-8"),
        ("é".encode("utf-16"), "", "é", "utf-16le"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "", "é", "utf-16be"),
        (RUSSIAN.encode("cp1251"), 'text/html; charset="windows-1251"', RUSSIAN, "windows-1251"),
        (RUSSIAN.encode("koi8-r"), "text/html;charset=KOI8-R", RUSSIAN, "koi8-r"),
        (b"caf\xe9 \x93x\x94", "text/html; charset=iso-8859-1", "café “x”", "windows-1252"),
        (b"caf\xe9", "text/html", "café", "windows-1252"),
        ("日本語のページ".encode("shift_jis"), "text/html; charset=x-sjis", "日本語のページ", "shift_jis"),
        ("日本語".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "日本語", "iso-2022-jp"),
        ("中文页面".encode("gbk"), "text/html; charset=gb2312", "中文页面", "gb18030"),
        (RUSSIAN.encode(), "text/html", RUSSIAN, "utf-8"),
        (b"plain", "text/html; charset=nonsense", "plain", "utf-8"),
        (b"plain", "text/html; charset=utf-7", "plain", "utf-8"),
    ],
)
def test_charset_is_found_and_used(body: bytes, content_type: str, text: str, charset: str) -> None:
    assert decoded(body, content_type) == (text, charset)


def test_the_header_wins_over_the_meta_and_the_meta_over_guessing() -> None:
    body = b'<meta charset="koi8-r">' + RUSSIAN.encode("cp1251")
    assert decoded(body, "text/html; charset=windows-1251")[0].endswith(RUSSIAN)
    body = b'<meta http-equiv=Content-Type content="text/html; charset=koi8-r">' + RUSSIAN.encode("koi8-r")
    assert decoded(body, "text/html")[0].endswith(RUSSIAN)


def test_a_meta_beyond_the_first_kilobyte_does_not_count() -> None:
    body = b" " * 1024 + b'<meta charset="koi8-r">' + RUSSIAN.encode("koi8-r")
    assert decoded(body, "")[1] == "windows-1252"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_zero_bytes(codec: str) -> None:
    html = f"<html><body><p>{RUSSIAN} and some plain words</p></body></html>"
    text, charset = decoded(html.encode(codec), "text/html")
    assert (text, charset) == (html, codec.replace("-le", "le").replace("-be", "be"))
    assert not looks_binary(html.encode(codec))


def test_utf_8_that_is_called_something_else_is_still_utf_8() -> None:
    assert decoded(RUSSIAN.encode(), "text/html; charset=iso-8859-1") == (RUSSIAN, "utf-8")
    assert decoded(RUSSIAN.encode(), "text/html; charset=utf-16") == (RUSSIAN, "utf-8")
    assert decoded(RUSSIAN.encode(), "text/html; charset=euc-jp")[0] == RUSSIAN


def test_one_bad_byte_does_not_change_the_charset_but_many_do() -> None:
    text, charset = decoded(RUSSIAN.encode() + b"\xd0", "text/html; charset=utf-8")
    assert charset == "utf-8"
    assert text == RUSSIAN + "\ufffd"
    text, charset = decoded("naïve café déjà vu".encode("cp1252"), "text/html; charset=utf-8")
    assert (text, charset) == ("naïve café déjà vu", "windows-1252")


@pytest.mark.parametrize(
    "label", ["utf-7", "idna", "rot13", "base64", "mbcs", "undefined", "unicode_escape", "", "../x"]
)
def test_labels_that_are_no_charsets_of_the_web_name_nothing(label: str) -> None:
    assert codec_of(label) == ""


@pytest.mark.parametrize("label", ["latin1", "ISO-8859-1", "us-ascii", "windows-1252", " x-cp1252 "])
def test_the_many_names_of_windows_1252(label: str) -> None:
    assert name_of(codec_of(label)) == "windows-1252"


@pytest.mark.parametrize(
    "body", [b"%PDF-1.4 ...", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04abc", bytes(range(32)) * 40, b"\0" * 3000]
)
def test_binary_is_recognised(body: bytes) -> None:
    assert looks_binary(body)


@pytest.mark.parametrize("body", [b"", b"<p>text</p>", b"<p>one \0 in a longer text</p>", RUSSIAN.encode("cp1251")])
def test_text_is_not_binary(body: bytes) -> None:
    assert not looks_binary(body)


@given(st.binary(max_size=400), st.text(max_size=60), st.sampled_from(["", "utf-8", "gbk", "utf-16", "cp1252"]))
def test_decoding_never_raises_and_leaves_no_surrogates(body: bytes, words: str, label: str) -> None:
    text, charset = decoded(body, f"{words}; charset={label}")
    assert charset
    assert text.encode().decode() == text


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=200))
def test_declared_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decoded(text.encode(), "text/html; charset=utf-8") == (text, "utf-8")


@given(
    st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))),
    st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"a\0"]),
    st.sampled_from(["text/html; charset=UTF-8", "text/html", "text/html; charset=koi8-r"]),
)
def test_a_document_in_utf_8_says_the_same_as_the_decoded_one(body: bytes, mark: bytes, content_type: str) -> None:
    text, charset = decoded(mark + body, content_type)
    assert as_utf_8(mark + body, content_type) == (text.encode(), charset)


def test_a_document_that_is_utf_8_is_not_copied() -> None:
    body = RUSSIAN.encode()
    assert as_utf_8(body, "text/html; charset=utf-8")[0] is body

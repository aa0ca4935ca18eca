"""Decoding: the right charset by mark, header, meta or evidence, and never an exception."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.pages.charset_declarations import by_document
from lycosa.pages.charset_labels import CODECS, codec_of, name_of
from lycosa.pages.charsets import as_utf_8, decoded, looks_binary

RUSSIAN = "Привет, мир: это текст о птицах"
JAPANESE = "これは日本語の文章です。蜘蛛は巣を作る生き物です"
MARKUP = (
    b"<", b">", b"!", b"-", b"--", b"<!--", b"-->", b"<meta ", b"<META/", b"charset=", b"'", b'"', b"=", b" ", b"/",
    b"koi8-r", b"<script>", b"</script>", b"<title", b"</title ", b"http-equiv=content-type ", b"content=", b"charset",
    b"utf-16", b"<?xml encoding='", b"<p a=", b"\xe9", b"<style", b"</sty",
)  # fmt: skip


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
    body = b" " * 1024 + b'<meta charset="koi8-r">' + RUSSIAN.encode("cp1251")
    assert decoded(body, "")[1] == "windows-1251"
    assert decoded(body[1:], "")[1] == "windows-1251"
    assert decoded(body[1024:], "")[1] == "koi8-r"


@pytest.mark.parametrize(
    "passed_over",
    [
        '<!-- <meta charset="koi8-r"> -->', "<!--><p title='<meta charset=koi8-r>'>", "<!doctype html>",
        "<script>var s = '<meta charset=koi8-r>'</script>", "<STYLE a='>'>/* <meta charset=koi8-r> */</style >",
        "<title><meta charset=koi8-r></title>", '<meta name=description content="charset=koi8-r">',
        '<meta http-equiv=refresh content="0; charset=koi8-r">', "<meta charset=nonsense>", "<metal charset=koi8-r>",
        "</meta charset=koi8-r>", "<?meta charset=koi8-r?>", '<?xml version="1.0" encoding="koi8-r"?>',
    ],
)  # fmt: skip
def test_only_a_real_meta_declares_a_charset(passed_over: str) -> None:
    real = '<meta property=x charset = "windows-1251" charset=greek><meta charset=koi8-r>'
    assert by_document(f"{passed_over}{real}".encode()) == "cp1251"
    assert (
        by_document(f"{passed_over}<META/CONTENT='a;charset=x-cp1251;'/http-equiv=Content-Type>".encode()) == "cp1251"
    )


@pytest.mark.parametrize(
    ("html", "codec"),
    [
        ("<meta charset=utf-16>", "utf-8"), ("<meta charset=x-user-defined>", "cp1252"),
        ("<?xml version='1.0' encoding='big5'?><html>", "big5hkscs"), ("<meta charset='koi8-r", ""),
        ("<meta charset=''>", ""), ("<script><meta charset=koi8-r>", ""), ("<!-- <meta charset=koi8-r>", ""),
        ("<meta http-equiv=content-type content='charset charset=\"l2\"'>", "iso8859-2"),
    ],
)  # fmt: skip
def test_a_document_declares_what_browsers_read(html: str, codec: str) -> None:
    assert by_document(html.encode()) == codec


@given(st.lists(st.sampled_from(MARKUP), max_size=40))
def test_any_markup_can_be_asked_for_its_charset(pieces: list[bytes]) -> None:
    assert by_document(b"".join(pieces)) in ("", "koi8-r", "utf-8")


@pytest.mark.parametrize("charset", ["utf-8", "shift_jis", "utf-16", "nonsense"])
def test_a_header_that_the_bytes_disprove_leaves_it_to_the_meta_and_that_to_the_bytes(charset: str) -> None:
    header = f"text/html; charset={charset}"
    body = b"<meta charset=mac-cyrillic><meta charset=x-mac-cyrillic>" + RUSSIAN.encode("mac-cyrillic")
    if charset != "shift_jis":
        assert decoded(body, header)[1] == "x-mac-cyrillic"
    body = b"<meta charset=euc-jp>" + JAPANESE.encode("euc_jp")
    assert decoded(body, header) == (f"<meta charset=euc-jp>{JAPANESE}", "euc-jp")
    body = b"<meta charset=utf-8>" + RUSSIAN.encode("cp1251")
    assert decoded(body, header if charset != "shift_jis" else "")[1] == "windows-1251"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (RUSSIAN, "cp866"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"), ("蜘蛛是一种分布很广的动物，它们不结网", "gb18030"),
        ("蜘蛛是一種分布很廣的動物，牠們不結網", "big5"), ("거미는 전 세계에 널리 분포하는 동물이다", "cp949"),
        ("Οι αράχνες ζουν σχεδόν παντού", "iso8859-7"), ("עכבישים חיים כמעט בכל מקום", "cp1255"),
        ("แมงมุมหมาป่าอาศัยอยู่เกือบทุกที่", "cp874"), ("تعيش العناكب في كل مكان تقريبا", "cp1256"),
        ("Slíďáci žijí téměř všude, kde najdou kořist, a nestavějí sítě", "cp1250"),
    ],
)  # fmt: skip
def test_what_nobody_declares_is_told_from_the_bytes(text: str, codec: str) -> None:
    assert decoded(f"<p>{text}</p>".encode(codec), "text/html")[0] == f"<p>{text}</p>"
    assert decoded(b"<p>" + b"plain words " * 9000 + text.encode(codec), "")[0].endswith(text)


@pytest.mark.parametrize(
    "words", ["café", "naïve", "£5, €6 or ¥700", "«bon»", "Žižek", "São", "É", "© Bjørn®", "predatório, às distâncias"]
)
def test_western_text_stays_western(words: str) -> None:
    assert decoded(f"<p>Some words {words} and more</p>".encode("cp1252"), "")[1] == "windows-1252"


@pytest.mark.parametrize("body", [b"\xff" * 200_000, bytes(range(128, 256)) * 2000, b"\x1b$" * 100_000])
def test_bytes_that_are_nothing_are_read_as_something(body: bytes) -> None:
    text, charset = decoded(body, "")
    assert text
    assert charset


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
    ("label", "codec"),
    [
        ("windows-31j", "cp932"), ("x-euc-jp", "euc_jp"), ("ISO-8859-8-I", "iso8859-8"), ("logical", "iso8859-8"),
        ("iso-8859-6-e", "iso8859-6"), ("cn-big5", "big5hkscs"), ("x-mac-roman", "mac-roman"),
        ("sun_eu_greek", "iso8859-7"), ("gb2312", "gb18030"), ("ks_c_5601-1987", "cp949"), ("korean", "cp949"),
        ("latin5", "cp1254"), ("tis-620", "cp874"), ("x-mac-ukrainian", "mac-cyrillic"), ("koi8-ru", "koi8-u"),
        ("866", "cp866"), ("ucs-2", "utf-16-le"),
    ],
)  # fmt: skip
def test_labels_mean_what_they_mean_to_browsers(label: str, codec: str) -> None:
    assert codec_of(label) == codec


def test_every_name_of_a_charset_has_a_codec_that_reads() -> None:
    for label, codec in CODECS.items():
        assert codec_of(f" {label.upper()}\n") == codec
        assert codec_of(name_of(codec)) == codec
        assert "a".encode(codec).decode(codec) == "a"


def test_text_with_a_byte_order_mark_is_not_binary() -> None:
    for codec, mark in (("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)):
        body = mark + f"<p>{JAPANESE}{RUSSIAN}".encode(codec)
        assert not looks_binary(body)
        assert decoded(body, "text/html; charset=utf-8")[0] == f"<p>{JAPANESE}{RUSSIAN}"


def test_utf_16_that_the_header_names_needs_no_mark() -> None:
    html = f"<title>{RUSSIAN * 3}</title>"
    body = html.encode("utf-16-le")
    assert looks_binary(body)
    assert not looks_binary(body, "text/html; charset=utf-16")
    assert decoded(body, "text/html; charset=utf-16") == (html, "utf-16le")
    assert looks_binary(bytes(range(32)) * 40, "text/html; charset=utf-16")


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

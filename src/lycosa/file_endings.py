"""Endings of URLs that name files which are hardly ever pages, and the media types behind them."""

from __future__ import annotations

from urllib.parse import urlsplit

_TYPES = {
    "image/*": "avif bmp gif heic ico jpeg jpg png svg tif tiff webp",
    "audio/*": "aac flac m4a mid mp3 oga ogg opus wav wma",
    "video/*": "avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv",
    "font/*": "eot otf ttf woff woff2",
    "application/pdf": "pdf",
    "application/postscript": "eps ps",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "application/msword": "doc docx odt",
    "application/vnd.ms-excel": "ods xls xlsx",
    "application/vnd.ms-powerpoint": "odp pps ppt pptx",
    "application/octet-stream": "apk bin bz2 deb dmg exe img iso jar msi rpm",
    "application/zip": "7z gz lz rar tar tgz xz zip zst",
}
ENDINGS = {ending: kind for kind, endings in _TYPES.items() for ending in endings.split()}
"""The media type of each ending; of images and the like only the first half is sure."""
LONGEST_ENDING = max(map(len, ENDINGS))


def ending_of(url: str) -> str:
    """The ending of a URL's path by which it names such a file; '' for none.

    A name with a colon is that of a page about a file, as in wikis.
    """
    if url.rfind(".", -LONGEST_ENDING - 1) < 0 and "?" not in url:
        return ""
    name = urlsplit(url).path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name and ":" not in name else ""
    return ending if ending in ENDINGS else ""

from lycosa.pages.html.elements import Said
from lycosa.records import Link, Links

class CompiledTree:
    said: Said
    structure: bytes
    headings: tuple[str, ...]
    dropped: int

    def __init__(self, html: bytes, structure: bool = False) -> None: ...
    def links(self, page: Link, base: str, title: str, most: int, drop_tracking: bool, codec: str = "") -> Links: ...
    def main_text(self) -> str: ...

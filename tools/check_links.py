"""Check that every link inside a built site leads somewhere: ``python check_links.py FOLDER``. Nothing is fetched."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places in it that a link can name."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to and how it is named."""
        found = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.places |= {value for name in ("id", "name") if (value := found.get(name))}


def broken(folder: Path) -> list[str]:
    """Links of the pages of a folder that lead to no file of it, or to no place in the page."""
    pages: dict[Path, Page] = {}
    for path in sorted(p for p in folder.rglob("*.html") if "_static" not in p.relative_to(folder).parts):
        pages[path] = Page()
        pages[path].feed(path.read_text("utf-8"))
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                wrong.append(f"{path.relative_to(folder)}: {link}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                wrong.append(f"{path.relative_to(folder)}: {link}: no such place")
    if not pages:
        wrong.append(f"{folder}: no pages")
    return sorted(set(wrong))


if __name__ == "__main__":
    found = broken(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "every link inside the site leads somewhere")
    sys.exit(bool(found))

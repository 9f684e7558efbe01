"""The book as one file: `python book/zip.py` makes dist/the-right-information-<hash>.zip out of the built site.

Unpacked anywhere below the root of any static server, it opens; what only the build needs stays out. The same site
gives the same bytes, and the name carries a hash of them, so that two editions are never taken for one another.
"""

import hashlib
import io
import re
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
DIST = ROOT / "dist"
NAME = "the-right-information"
FOR_THE_BUILD = {".buildinfo", ".built", "objects.inv"}
COMPRESSED = (".whl", ".zip", ".woff", ".woff2", ".png")
START = f"""The Right Information: a book of runnable chapters.

Browsers run no Python from a file, so serve this folder and open the address that is printed:

    python3 -m http.server --bind 127.0.0.1 --directory {NAME}

or copy it to any web server. The book asks nothing of any other host.
"""


def needed(site: Path) -> list[Path]:
    """The files that a reader needs, sorted; of the notebooks those that a page offers for download."""
    offered = {
        (page.parent / link).resolve()
        for page in site.rglob("*.html")
        for link in re.findall(r'href="([^"]*_sources/[^"#?]+)"', page.read_text(encoding="utf-8"))
    }
    return sorted(
        path
        for path in site.rglob("*")
        if path.is_file()
        and path.name not in FOR_THE_BUILD
        and ".doctrees" not in path.parts
        and ("_sources" not in path.relative_to(site).parts[:1] or path.resolve() in offered)
    )


def pack(site: Path) -> bytes:
    """A built site as a zip file: sorted, without dates."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:

        def add(name: str, content: bytes) -> None:
            entry = ZipInfo(f"{NAME}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = ZIP_STORED if name.endswith(COMPRESSED) else ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, content)

        add("START-HERE.txt", START.encode())
        for path in needed(site):
            add(path.relative_to(site).as_posix(), path.read_bytes())
    return packed.getvalue()


def write(site: Path, folder: Path) -> Path:
    """Pack a site into a folder, in place of an older edition; gives the file."""
    content = pack(site)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{NAME}-*.zip"):
        old.unlink()
    target = folder / f"{NAME}-{hashlib.sha256(content).hexdigest()[:10]}.zip"
    target.write_bytes(content)
    return target


if __name__ == "__main__":
    if not (SITE / "index.html").exists():
        sys.exit("There is no built book: run make html first")
    made = write(SITE, DIST)
    print(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.1f} MB")

#!/usr/bin/env python3
"""Writes what a fuzz target begins with: the files of the corpus in its format, or of those that are zips the parts that the
target changes (`PARTS` in its source). Large ones are left out; nothing that grows from them is ever small.

    python3 documents/fuzz/seeds.py TARGET FOLDER
"""

import pathlib
import re
import sys
import zipfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
MOST_BYTES = 64 << 10
# The library that reads these is ended by the worker's limits alone, which a fuzz target does not have.
ENDED_BY_LIMITS = (
    "pdf-cmap-endless",
    "pdf-cmap-giant",
    "pdf-flate-chain-bomb",
    "pdf-flate-chain-text",
    "pdf-forms-laugh",
    "pdf-long-string",
    "pdf-run-length-bomb",
)
ENDINGS = {
    "plain": ("txt", "csv"),
    "text": ("txt", "csv", "json", "html", "srt"),
    "subtitles": ("srt", "vtt"),
    "gzip": ("gz",),
    "page": ("pdf",),
    "epub_package": ("epub",),
}
PARTS = {
    "docx": r"word/(document|styles|numbering|footnotes|endnotes|comments|header\d*|charts/chart\d*)\.xml",
    "pptx": r"ppt/(slides/slide|notesSlides/notesSlide|comments/comment|charts/chart|diagrams/data)\d*\.xml",
    "xlsx": r"xl/worksheets/sheet\d+\.xml",
    "odt": r"(content|styles)\.xml",
    "odp": r"(content|styles)\.xml",
    "ods": r"(content|styles)\.xml",
    "epub": r".*\.x?html",
    "epub_package": r".*\.(opf|ncx|xml)|.*nav\.xhtml",
}


def seeds(target):
    for path in sorted(CORPUS.rglob("*")):
        if not path.is_file() or path.stem in ENDED_BY_LIMITS or path.suffix.lstrip(".") not in ENDINGS.get(target, (target,)):
            continue
        if target == "page" and path.parent.name == "hostile":
            continue  # To draw some of them takes seconds.
        name = f"{path.parent.name}-{path.name}"
        if target not in PARTS:
            yield name, path.read_bytes()
            continue
        try:
            with zipfile.ZipFile(path) as package:
                for member in package.infolist():
                    if re.fullmatch(PARTS[target], member.filename) and member.file_size <= MOST_BYTES:
                        yield f"{name}-{member.filename.replace('/', '-')}", package.read(member)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
            continue  # The hostile ones.


def main():
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    count = 0
    for name, data in seeds(target):
        if len(data) <= MOST_BYTES:
            (folder / name).write_bytes(data)
            count += 1
    print(f"{target}: {count} seeds")
    assert count > 0, "no seed"


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Files that try to harm their reader, for sandbox/tests/hostile.rs.

Needs Python 3.9 or later and nothing else. Gives the same files every time: no clock, no chance.

    python3 documents/corpus/make/hostile.py

What would be large as a file is made by the test itself (sandbox/tests/hostile/recipes.rs).
"""

import pathlib

import hostile_office
import hostile_packed
import hostile_pdf
import hostile_text

MOST_BYTES = 1 << 20


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "hostile"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    files = {}
    for module in (hostile_pdf, hostile_packed, hostile_office, hostile_text):
        for name, data in module.files():
            assert name not in files, name
            files[name] = data
    for name, data in sorted(files.items()):
        (folder / name).write_bytes(data)
    total = sum(map(len, files.values()))
    print(f"{len(files)} files, {total} bytes")
    assert total <= MOST_BYTES, "more than is committed"


if __name__ == "__main__":
    main()

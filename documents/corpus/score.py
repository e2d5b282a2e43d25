#!/usr/bin/env python3
"""What is read of the corpus, as tables: files, words, cells and places, and beside the PDFs what `pdftotext` makes of them.

Needs poppler-utils and poppler-data, and the example built:
    cargo build --release -p frlm-documents --example read
    documents/corpus/score.py target/release/examples/read

Words count in any order (F1) and in their order; characters of Chinese and Japanese count as words. A table counts as ruled if
lines stand around its cells. Producers that are held out were scored and never looked at. Times are of the processor, the best
of five whole processes.
"""

import collections
import json
import pathlib
import re
import resource
import subprocess
import sys

CORPUS = pathlib.Path(__file__).resolve().parent
WIDE = r"[\u3040-\u30ff\u3400-\u9fff]"
TIMES = 5


def tokens(text):
    text = re.sub(f"({WIDE})", r" \1 ", text.replace("’", "'").replace("‘", "'").replace(" | ", " "))
    words = (re.sub(r"^[\W_]+|[\W_]+$", "", word) for word in text.split())
    return [word for word in words if word]


def f1(found, expected):
    found, expected = tokens(found), tokens(expected)
    common = sum((collections.Counter(found) & collections.Counter(expected)).values())
    return 2 * common / (len(found) + len(expected)) if found or expected else 1.0


def order(found, expected):
    found, expected = tokens(found), tokens(expected)
    row = [0] * (len(expected) + 1)
    for word in found:
        diagonal = 0
        for index, there in enumerate(expected):
            above = row[index + 1]
            row[index + 1] = diagonal + 1 if word == there else max(above, row[index])
            diagonal = above
    return 2 * row[-1] / (len(found) + len(expected)) if found or expected else 1.0


def timed(command, times):
    best = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return output, best * 1000


class Read:
    """What the reader tells of a file."""

    def __init__(self, reader, path, password=None, times=1):
        key = ["--password", password] if password else []
        output, self.ms = timed([reader, "--json", *key, str(path)], times)
        events = [json.loads(line) for line in output.splitlines()]
        self.blocks = [event["block"] for event in events if "block" in event]
        self.text = "\n".join(event["plain"] if "plain" in event else event["block"]["text"]
                              for event in events if "plain" in event or "block" in event)
        self.tables = collections.defaultdict(list)
        for block in self.blocks:
            if "row" in block["kind"]:
                self.tables[block["kind"]["row"]["table"]].append(block["kind"]["row"]["cells"])


def letters(text):
    return "".join(character for character in text.lower() if character.isalnum())


def cells(read, expected):
    """Cells that are right, and all, of ruled tables and of others."""
    counts = {True: [0, 0], False: [0, 0]}
    for index, (rows, ruled) in enumerate(zip(expected["tables"], expected.get("ruled", [])), 1):
        found = read.tables.get(index, [])
        for number, row in enumerate(rows):
            there = found[number] if number < len(found) else []
            counts[ruled][0] += sum(1 for wanted, cell in zip(row, there) if wanted == cell)
            counts[ruled][1] += len(row)
    return counts


def pages(read, expected):
    """Quotes that are on their page; of which the paragraph begins on the page before; and all."""
    right = before = 0
    for place in expected["places"]:
        quote = letters(place["quote"])
        on = {block["place"]["page"]["page"] for block in read.blocks if quote in letters(block["text"])}
        right += place["page"] in on
        before += place["page"] not in on and place["page"] - 1 in on
    return right, before, len(expected["places"])


def column(number):
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def words_of_place(block, path):
    """The place of a block of an Office file, as the corpus writes it."""
    place = block["place"]
    if "slide" in place:
        return f"slide {place['slide']['slide']}"
    if "cells" in place:
        first, last = (f"{column(cell['column'])}{cell['row']}" for cell in (place["cells"]["first"], place["cells"]["last"]))
        return f"{place['cells']['sheet']}!{first}" + ("" if first == last else f":{last}")
    return " > ".join(heading for _, heading in path)


def other_places(read, expected):
    right, path = 0, []
    paths = []
    for block in read.blocks:
        paths.append(list(path))
        if isinstance(block["kind"], dict) and "heading" in block["kind"]:
            level = block["kind"]["heading"]
            path = [heading for heading in path if heading[0] < level] + [(level, block["text"])]
    wanted = [(place["quote"], place["place"]) if isinstance(place, dict) else tuple(place) for place in expected.get("places", [])]
    for quote, place in wanted:
        found = next(((block, under) for block, under in zip(read.blocks, paths) if quote in block["text"]), None)
        if found:
            right += place == (words_of_place(*found) if isinstance(place, str) else found[0]["place"])
    return right, len(wanted)


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def share(right, all_of_them):
    return f"{right} of {all_of_them} ({100 * right / all_of_them:.1f} %)" if all_of_them else "–"


def files():
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path in sorted(CORPUS.rglob("*")):
        if not path.is_file() or path.suffix in (".py", ".sh", ".json"):
            continue
        hostile = path.parent.name == "hostile"
        kind = found[path.suffix.lstrip(".")]
        kind[2 * hostile] += 1
        kind[2 * hostile + 1] += path.stat().st_size
    rows = [(name, good, hostile, (good_bytes + hostile_bytes) // 1024) for name, (good, good_bytes, hostile, hostile_bytes) in sorted(found.items())]
    table(["format", "files with expected text", "hostile files", "KB"],
          rows + [("all", sum(row[1] for row in rows), sum(row[2] for row in rows), sum(row[3] for row in rows))])


def pdfs(reader):
    rows, producers = [], collections.defaultdict(list)
    for path in sorted((CORPUS / "pdf").glob("*.json")):
        expected = json.loads(path.read_text())
        if expected.get("refused"):
            continue
        pdf, password = path.with_suffix(".pdf"), expected.get("password")
        read = Read(reader, pdf, password, TIMES)
        theirs, theirs_ms = timed(["pdftotext", *(["-upw", password] if password else []), str(pdf), "-"], TIMES)
        row = {
            "words": f1(read.text, expected["text"]), "order": order(read.text, expected["text"]), "ms": read.ms,
            "their words": f1(theirs, expected["text"]), "their order": order(theirs, expected["text"]), "their ms": theirs_ms,
            "cells": cells(read, expected), "pages": pages(read, expected),
        }
        producers[(expected["held_out"], expected["producer"])].append(row)
        rows.append((path.stem, *scores(row)))
    head = ["words F1", "in order", "ms", "pdftotext: words F1", "in order", "ms"]
    table(["file", *head], rows)

    sums, rows = {False: [], True: []}, []
    for (held_out, producer), of_it in sorted(producers.items()):
        sums[held_out] += of_it
        rows.append((producer + (", held out" if held_out else ""), *summary(of_it)))
    rows.append(("all that were looked at", *summary(sums[False])))
    rows.append(("all held out", *summary(sums[True])))
    table(["producer", "files", "lowest words F1", "mean words F1", "in order", "ms", "pdftotext: words F1", "in order", "ms",
           "cells in lines", "cells without lines", "quotes on their page"], rows)
    before = sum(row["pages"][1] for of_it in sums.values() for row in of_it)
    print(f"Quotes that are placed on the page before, where their paragraph begins: {before}.\n")


def scores(row):
    return [f"{row['words']:.4f}", f"{row['order']:.4f}", f"{row['ms']:.1f}",
            f"{row['their words']:.4f}", f"{row['their order']:.4f}", f"{row['their ms']:.1f}"]


def summary(rows):
    names = ("words", "order", "ms", "their words", "their order", "their ms")
    means = scores({name: sum(row[name] for row in rows) / len(rows) for name in names})
    count = {ruled: [sum(row["cells"][ruled][part] for row in rows) for part in (0, 1)] for ruled in (True, False)}
    right, of_them = sum(row["pages"][0] for row in rows), sum(row["pages"][2] for row in rows)
    return [len(rows), f"{min(row['words'] for row in rows):.4f}", *means, share(*count[True]), share(*count[False]), share(right, of_them)]


def others(reader):
    rows = []
    for folder in ("office", "web", "text"):
        words, right, places = [], 0, 0
        for path in sorted((CORPUS / folder).glob("*.json")):
            expected = json.loads(path.read_text())
            read = Read(reader, path.with_suffix(""))
            words.append(f1(read.text, expected["text"]))
            right_here, places_here = other_places(read, expected)
            right, places = right + right_here, places + places_here
        rows.append((folder, len(words), f"{min(words):.4f}", f"{sum(words) / len(words):.4f}", share(right, places)))
    table(["folder", "files", "lowest words F1", "mean words F1", "quotes at their place"], rows)


def main():
    reader = sys.argv[1]
    files()
    pdfs(reader)
    others(reader)


if __name__ == "__main__":
    main()

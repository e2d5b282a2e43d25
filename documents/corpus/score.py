#!/usr/bin/env python3
"""Word F1 and time on the PDF corpus, beside those of `pdftotext`.

Needs poppler-utils, and the example built:
    cargo build --release -p frlm-documents --example read
    documents/corpus/score.py target/release/examples/read
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent / "pdf"
WIDE = r"[\u3040-\u30ff\u3400-\u9fff]"


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


def best_time(command, times=5):
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        output = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        best = min(best, time.perf_counter() - started)
    return output, best * 1000


def main():
    reader = sys.argv[1]
    print(f"{'file':36} {'F1':>7} {'order':>7} {'ms':>6}   {'pdftotext':>9} {'order':>7} {'ms':>6}")
    sums = {False: [], True: []}
    for path in sorted(FOLDER.glob("*.json")):
        expected = json.loads(path.read_text())
        if expected.get("refused"):
            continue
        pdf = str(path.with_suffix(".pdf"))
        password = expected.get("password")
        events, ours_ms = best_time([reader, "--json", *(["--password", password] if password else []), pdf])
        blocks = [event["block"]["text"] for event in map(json.loads, events.splitlines()) if "block" in event]
        theirs, theirs_ms = best_time(["pdftotext", *(["-upw", password] if password else []), pdf, "-"])
        row = [f1("\n".join(blocks), expected["text"]), order("\n".join(blocks), expected["text"]), ours_ms,
               f1(theirs, expected["text"]), order(theirs, expected["text"]), theirs_ms]
        sums[expected["held_out"]].append(row)
        name = ("held out: " if expected["held_out"] else "") + path.stem
        print(f"{name:36} {row[0]:7.4f} {row[1]:7.4f} {row[2]:6.1f}   {row[3]:9.4f} {row[4]:7.4f} {row[5]:6.1f}")
    for held_out, rows in sums.items():
        mean = [sum(column) / len(rows) for column in zip(*rows)]
        name = "mean, held out" if held_out else "mean, development"
        print(f"{name:36} {mean[0]:7.4f} {mean[1]:7.4f} {mean[2]:6.1f}   {mean[3]:9.4f} {mean[4]:7.4f} {mean[5]:6.1f}")


if __name__ == "__main__":
    main()

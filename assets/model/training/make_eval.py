"""Writes the held-out evaluation set as JSON lines, to be run through any engine.

    python make_eval.py --out ../eval.jsonl.gz

Its values, some of its phrasings and some combinations of style details never occur in training
(`words.Source(held_out=True)`), and its seed is used nowhere else.
"""

import argparse
import gzip
import json
from pathlib import Path

from generate import example
from words import Source

SHARES = {"copy": 2800, "plan": 560, "same": 280, "better": 240, "unknown": 120}
SEED = 20260302


def rows(scale=1.0, seed=SEED):
    for task, count in SHARES.items():
        s = Source(seed, held_out=True)
        seen = set()
        while len(seen) < count * scale:
            _, style, prompt, answer = example(s, task)
            if prompt not in seen:
                seen.add(prompt)
                yield {"task": task, "style": style, "prompt": prompt, "answer": answer}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("../eval.jsonl.gz"))
    parser.add_argument("--limit", type=int, default=1_000_000, help="bytes")
    args = parser.parse_args()
    scale = 1.0
    while True:
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows(scale))
        if len(text.encode()) <= args.limit:
            break
        scale *= 0.95
    data = text.encode()
    args.out.write_bytes(gzip.compress(data, 9, mtime=0) if args.out.suffix == ".gz" else data)
    print(f"{text.count(chr(10))} examples, {len(text.encode())} bytes")


if __name__ == "__main__":
    main()

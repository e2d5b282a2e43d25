"""Writes the held-out evaluation set of the brain's model: `python make_brain_eval.py --out ../brain-eval.jsonl.gz`.

Its values, some of its phrasings and joining words never occur in training (`words.Source(held_out=True)`, `~` in the tables), and
its seed is used nowhere else. `kind` is every question of `assets/brain` that is not for training. The style `loose` are the
forms of `frlm-lab learn compound --planner` (lab/src/compound): a preface that training does not have, before parts whose wording
('with status', 'have status') it does not have either.
"""

import argparse
import gzip
import json
from pathlib import Path

from brain_generate import example
from brain_kind import HELD
from words import Source

SEED = 20260415
SPLITS, SAYS, LOOSE = 600, 250, 80
PREFACE = "I am preparing a talk about this shop and would like to be sure of a few things."


def loose(s):
    """(prompt, answer) in the lab's forms."""
    v, w = s.status(), s.status()
    k, x = s.int(40000, 49000), s.r.random()
    user = "which user has the largest amount"
    others = [("what is the first order of that user", 1), ("what is the last order of that user", 1),
              ("what is the largest amount of orders of that user", 1), (f"how many orders of that user have status {v}", 1),
              (f"how many orders have status {w}", 0), (f"what is the amount of order {k}", 0)]
    if x < 0.25:
        parts = [(f"which user has the most orders with status {v}", 0), (f"how many orders of that user have status {w}", 1), others[2]]
        text = f"Which user has the most orders with status {v}, how many orders of that user have status {w}, and {others[2][0]}?"
    elif x < 0.5:
        parts = [(user, 0), others[0], ("what is the status of that order", 2)]
        text = "Which user has the largest amount? What is the first order of that user? And what is the status of that order?"
    elif x < 0.75:
        parts = [others[4], others[5]]
        text = f"How many orders have status {w}, and what is the amount of order {k}?"
    else:
        few = others[:]
        while len(few) > 3 + s.int(0, 3):
            few.pop(s.int(0, len(few) - 1))
        parts = [(user, 0)] + few
        text = "Which user has the largest amount, " + ", ".join(part for part, _ in few[:-1]) + f", and {few[-1][0]}?"
    answer = json.dumps([list(part) for part in parts], ensure_ascii=False, separators=(",", ":"))
    return f"split order, date, user, amount, status\n{PREFACE} {text}", answer


def rows():
    for task, count in (("split", SPLITS), ("say", SAYS)):
        s, seen = Source(SEED, held_out=True), set()
        while len(seen) < count:
            _, style, prompt, answer = example(s, task)
            if prompt not in seen:
                seen.add(prompt)
                yield {"task": task, "style": style, "prompt": prompt, "answer": answer}
    s = Source(SEED + 1, held_out=True)
    for _ in range(LOOSE):
        prompt, answer = loose(s)
        yield {"task": "split", "style": "loose", "prompt": prompt, "answer": answer}
    for label, question in HELD:
        yield {"task": "kind", "style": label, "prompt": f"kind\n{question}", "answer": label}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("../brain-eval.jsonl.gz"))
    args = parser.parse_args()
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows())
    data = text.encode()
    args.out.write_bytes(gzip.compress(data, 9, mtime=0) if args.out.suffix == ".gz" else data)
    print(f"{text.count(chr(10))} examples, {len(text.encode())} bytes")


if __name__ == "__main__":
    main()

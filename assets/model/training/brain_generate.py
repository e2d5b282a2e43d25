"""The mixture of the brain's three tasks; what `generate.py` is for the records model."""

import numpy as np

from brain_kind import HELD, kind_example
from brain_say import say_example
from brain_split import split_example
from generate import encode, pad
from words import Source

MIX = [("split", 0.68), ("say", 0.28), ("kind", 0.04)]
LONGEST = 400  # tokens of an example


def example(s, task=None):
    """(task, style, prompt, answer)."""
    if task is None:
        x = s.r.random()
        for task, share in MIX:
            x -= share
            if x < 0:
                break
    if task == "kind" and s.held_out:
        label, question = s.pick(HELD)
        return task, label, f"kind\n{question}", label
    prompt, answer, style = {"split": split_example, "say": say_example, "kind": kind_example}[task](s)
    return task, style, prompt, answer


def held_out_set(count, seed=990001, task=None):
    s = Source(seed, held_out=True)
    return [example(s, task) for _ in range(count)]


def batches(tok, seed, tokens=2048, chunk=1024, limit=None):
    """An endless stream of batches; rows of like length share a batch."""
    s = Source(seed)
    rng = np.random.default_rng(seed)
    while True:
        rows = [r for r in encode(tok, [example(s) for _ in range(chunk)], LONGEST) if r]
        rows.sort(key=lambda row: len(row[0]) + 3 * rng.random())
        groups, group = [], []
        for row in rows:
            if group and (len(group) + 1) * len(row[0]) > tokens:
                groups.append(group)
                group = []
            group.append(row)
        groups.append(group)
        rng.shuffle(groups)
        for group in groups:
            yield pad(group)

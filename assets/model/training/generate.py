"""The mixture of tasks, and batches of it."""

import numpy as np

from asks import copy_example, drill_example
from judge import better_example, same_example, unknown_example
from questions import plan_example
from tokenizer import render
from words import Source

MIX = [("copy", 0.79), ("plan", 0.19), ("unknown", 0.02)]
DRILL = 0.0  # share of training examples that only drill the finding of a key; set by train.py


def example(s, task=None, limit=260):
    """(task, style, prompt, answer)."""
    if task is None:
        if not s.held_out and s.chance(DRILL):
            prompt, answer, style = drill_example(s)
            return "copy", style, prompt, answer
        x = s.r.random()
        for task, share in MIX:
            x -= share
            if x < 0:
                break
    if task == "copy":
        prompt, answer, style = copy_example(s, limit=limit, many=not s.held_out)
    elif task == "plan":
        prompt, answer, style = plan_example(s)
    elif task == "same":
        prompt, answer, style = same_example(s)
    elif task == "better":
        prompt, answer, style = better_example(s)
    else:
        prompt, answer, style = unknown_example(s)
    return task, style, prompt, answer


def held_out_set(count, seed=990001, task=None):
    s = Source(seed, held_out=True)
    return [example(s, task) for _ in range(count)]


def encode(tok, examples, longest=240):
    """[(ids, index of the first answer token)], without what is too long."""
    full = tok.encode_batch_fast([render(p, a) for _, _, p, a in examples])
    head = tok.encode_batch_fast([render(p) for _, _, p, _ in examples])
    return [(f.ids, len(h.ids)) if len(f.ids) <= longest else None for f, h in zip(full, head)]


def pad(rows, step=8):
    """Arrays of a batch: ids, flat positions that predict, their targets, and the row of each."""
    width = -(-max(len(ids) for ids, _ in rows) // step) * step
    batch = np.zeros((len(rows), width), dtype=np.int64)
    pick, target, owner = [], [], []
    for i, (ids, start) in enumerate(rows):
        batch[i, : len(ids)] = ids
        pick += range(i * width + start - 1, i * width + len(ids) - 1)
        target += ids[start:]
        owner += [i] * (len(ids) - start)
    return batch, np.array(pick), np.array(target), np.array(owner)


def batches(tok, seed, tokens=6144, chunk=3072, limit=260):
    """An endless stream of batches; rows of like length share a batch."""
    s = Source(seed)
    rng = np.random.default_rng(seed)
    while True:
        rows = [r for r in encode(tok, [example(s, limit=limit) for _ in range(chunk)]) if r]
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

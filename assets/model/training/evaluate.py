"""Accuracy per task and style, and calibration, on held-out examples.

An answer counts as right if greedy decoding gives exactly it; that is the case if and only if the
most likely token is right at each place of the right answer, so one forward pass decides it.
"""

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from generate import encode, held_out_set, pad
from tokenizer import END, render


@torch.no_grad()
def forced(model, tok, examples, temperature=1.0, tokens=6144):
    """Per example: (all of the answer's tokens are the likeliest, probability of the likeliest
    tokens up to the first deviation, text up to there), from one forward pass."""
    rows = [(i, r) for i, r in enumerate(encode(tok, examples, 500)) if r]
    rows.sort(key=lambda item: len(item[1][0]))
    out = [None] * len(examples)
    while rows:
        n = max(1, tokens // len(rows[min(len(rows), 64) - 1][1][0]))
        group, rows = rows[:n], rows[n:]
        ids, pick, target, owner = pad([r for _, r in group])
        logits = model(torch.from_numpy(ids), torch.from_numpy(pick)).float() / temperature
        top, choice = logits.log_softmax(-1).max(-1)
        top, choice = top.numpy(), choice.numpy()
        for k, (i, _) in enumerate(group):
            mine = owner == k
            hit = choice[mine] == target[mine]
            stop = len(hit) if hit.all() else int(np.argmin(hit)) + 1
            guess = tok.decode(list(choice[mine][:stop]), skip_special_tokens=False)
            out[i] = (bool(hit.all()), float(np.exp(top[mine][:stop].sum())), guess.replace(END, ""))
    return out


@torch.no_grad()
def complete(model, tok, prompt, start, most=80):
    """Greedy decoding after an answer's start; None if it does not end."""
    ids = tok.encode(render(prompt)).ids + tok.encode(start).ids
    begin, end = len(tok.encode(render(prompt)).ids), tok.token_to_id(END)
    for _ in range(most):
        choice = int(model(torch.tensor([ids]))[0, -1].argmax())
        if choice == end:
            return tok.decode(ids[begin:], skip_special_tokens=False)
        ids.append(choice)
    return None


def judge(model, tok, examples, temperatures=(1.0,)):
    """Per temperature and example: (right, probability of the answer given, answer given)."""
    first = forced(model, tok, examples)
    given = []
    for (task, style, prompt, answer), result in zip(examples, first):
        if result is not None and not result[0]:
            answer = complete(model, tok, prompt, result[2]) if result[2] else ""
        given.append((task, style, prompt, answer or "\n"))
    out = []
    for temperature in temperatures:
        sure = forced(model, tok, given, temperature)
        out.append([f and (f[0], s[1] if s else 0.0, g[3]) for f, s, g in zip(first, sure, given)])
    return out


def calibration_error(results, bins=10):
    """Expected calibration error over bins of equal width."""
    sure = np.array([r[1] for r in results])
    right = np.array([r[0] for r in results], dtype=float)
    error = 0.0
    for b in range(bins):
        inside = (sure > b / bins) & (sure <= (b + 1) / bins)
        if inside.any():
            error += inside.mean() * abs(sure[inside].mean() - right[inside].mean())
    return float(error)


def selective(results):
    """{confidence: [share of answers at least so sure, accuracy among them]}"""
    out = {}
    for least in (0.5, 0.8, 0.9, 0.95, 0.99):
        sure = [right for right, p, _ in results if p >= least]
        out[str(least)] = [round(len(sure) / len(results), 4), round(float(np.mean(sure)), 4) if sure else None]
    return out


def report(model, tok, examples, shown=10, exact=False):
    """Prints and returns accuracies; shows wrong answers."""
    results = judge(model, tok, examples)[0] if exact else forced(model, tok, examples)
    tables = {"task": defaultdict(list), "style": defaultdict(list), "fields": defaultdict(list)}
    wrong = []
    for example, result in zip(examples, results):
        if result is None:
            continue
        task, style, prompt, answer = example
        tables["task"][task].append(result[0])
        tables["style"][f"{task}/{style}"].append(result[0])
        if task == "copy":
            tables["fields"][str(answer.count("\n"))].append(result[0])
        if not result[0]:
            wrong.append((task, style, prompt, answer, result))
    figures = {name: {k: round(float(np.mean(v)), 4) for k, v in sorted(table.items())} for name, table in tables.items()}
    figures["right when sure"] = selective([r for r in results if r])
    figures["ece"] = round(calibration_error([r for r in results if r]), 4)
    print("eval", " ".join(f"{k} {v:.4f}" for k, v in figures["task"].items()), f"ece {figures['ece']}")
    worst = sorted(figures["style"].items(), key=lambda kv: kv[1])[:12]
    print("  worst", ", ".join(f"{k} {v:.3f} of {len(tables['style'][k])}" for k, v in worst))
    for task, style, prompt, answer, result in wrong[:shown]:
        print(f"  WRONG {style} ({result[1]:.2f}) {prompt!r} want {answer!r} got {result[2]!r}")
    return figures


def read_set(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(r["task"], r["style"], r["prompt"], r["answer"]) for r in rows]


def main():
    from export_gguf import load_checkpoint, load_gguf
    from tokenizer import load

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True, help="checkpoint.pt or a .gguf file")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--set", type=Path, help="eval.jsonl.gz; without it a fresh held-out set is drawn")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--task")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--seed", type=int, default=990002)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = load_gguf(args.model) if args.model.suffix == ".gguf" else load_checkpoint(args.model)
    examples = read_set(args.set) if args.set else held_out_set(args.count, args.seed, args.task)
    figures = report(model, load(args.tokenizer), examples, args.show, exact=True)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()

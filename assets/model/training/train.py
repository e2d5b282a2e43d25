"""Trains the model: `python train.py --minutes 100 --dir run`, and again with `--resume` to go on.

Hidden matrices are trained by Muon (momentum, then orthogonalised updates), the embedding and the
norms by AdamW. The rate stays level and falls linearly to zero over the last part of `--minutes`.
Only answer tokens carry loss. With `--start` it begins with the weights of a finished model. The first steps are almost only `asks.drill_example`: they let the
circuit that `model.structured_init` sketches come to work before anything else is asked of it. Evaluation and export use an exponential average of the weights.
"""

import argparse
import copy
import importlib
import json
import os
import time
from pathlib import Path

import torch
import torch.nn.functional as F

import generate
from evaluate import report
import model as model_module
from model import Config, Model
from tokenizer import load


@torch.no_grad()
def orthogonalise(g):
    """Newton-Schulz iteration on a stack of matrices (the update of Muon)."""
    wide = g.shape[-2] > g.shape[-1]
    x = g.transpose(-2, -1) if wide else g
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for a, b, c in [(3.4445, -4.7750, 2.0315)] * 5:
        y = x @ x.transpose(-2, -1)
        x = a * x + (b * y + c * (y @ y)) @ x
    return x.transpose(-2, -1) if wide else x


class Muon:
    def __init__(self, model):
        self.groups = []  # matrices of one shape are treated as one stack; fused ones are split
        for name, parts in (("qkv", 3), ("out", 1), ("gate_up", 2), ("down", 1)):
            self.groups.append((parts, [getattr(b, name) for b in model.blocks]))
        self.momentum = [[torch.zeros_like(p) for p in params] for _, params in self.groups]

    @torch.no_grad()
    def step(self, rate, beta=0.95, decay=0.02):
        for (parts, params), moments in zip(self.groups, self.momentum):
            grads = []
            for p, m in zip(params, moments):
                m.lerp_(p.grad, 1 - beta)
                grads.append(p.grad.lerp(m, beta).view(parts, -1, p.shape[1]))
            update = orthogonalise(torch.cat(grads))
            scale = max(1, update.shape[-2] / update.shape[-1]) ** 0.5
            for p, u in zip(params, update.split(parts)):
                p.mul_(1 - rate * decay).add_(u.reshape(p.shape), alpha=-rate * scale)


def save(path, state):
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60, help="training time in all, resumed runs included")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dir", type=Path, default=Path("run"))
    parser.add_argument("--tokenizer", type=Path, default=Path("run/tokenizer.json"))
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--half", action="store_true", help="matrix products of training in bfloat16")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--ff", type=int, default=384)
    parser.add_argument("--tokens", type=int, default=3072, help="tokens per step")
    parser.add_argument("--muon-rate", type=float, default=0.01)
    parser.add_argument("--adam-rate", type=float, default=0.002)
    parser.add_argument("--level", type=float, default=0.4, help="share of the time before the rate falls")
    parser.add_argument("--eval-minutes", type=float, default=8)
    parser.add_argument("--drill", type=float, default=0.1, help="share of examples that drill finding")
    parser.add_argument("--limit", type=int, default=260, help="longest record, in characters")
    parser.add_argument("--data", default="generate", help="module with the mixture: generate, or brain_generate")
    parser.add_argument("--start", type=Path, help="a .gguf file whose weights a fresh run begins with")
    parser.add_argument("--eval-count", type=int, default=1500, help="held-out examples of each evaluation on the way")
    parser.add_argument("--easy-steps", type=int, default=200, help="first steps almost only on that drill")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    model_module.HALF = args.half
    generate.DRILL = args.drill
    data = importlib.import_module(args.data)
    args.dir.mkdir(parents=True, exist_ok=True)
    tok = load(args.tokenizer)
    model = Model(Config(vocab=tok.get_vocab_size(), layers=args.layers, width=args.width, ff=args.ff)).to(args.device)
    if args.start is not None:
        from export_gguf import restore

        model = restore(args.start).to(args.device)
    average = copy.deepcopy(model)
    muon = Muon(model)
    hidden = {id(p) for p in model.matrices()}
    adam = torch.optim.AdamW([p for p in model.parameters() if id(p) not in hidden], lr=args.adam_rate,
                             betas=(0.9, 0.98), weight_decay=0.0)
    done = {"steps": 0, "tokens": 0, "seconds": 0.0, "runs": 0}
    checkpoint = args.dir / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        state = torch.load(checkpoint, map_location=args.device)
        model.load_state_dict(state["model"])
        average.load_state_dict(state["average"])
        adam.load_state_dict(state["adam"])
        muon.momentum = state["muon"]
        done = state["done"]
    done["runs"] += 1
    held_out = data.held_out_set(args.eval_count)
    log = open(args.dir / "log.jsonl", "a")

    def checkpoint_now():
        save(checkpoint, {"model": model.state_dict(), "average": average.state_dict(), "adam": adam.state_dict(),
                          "muon": muon.momentum, "done": done, "config": model.cfg.to_dict()})

    seed = args.seed * 1000 + done["runs"]
    if done["steps"] < args.easy_steps:
        generate.DRILL = 0.95
    stream = data.batches(tok, seed, args.tokens, chunk=1024, limit=70) if done["steps"] < args.easy_steps else None
    total = args.minutes * 60
    last, losses, next_eval, next_save = time.time(), [], done["seconds"] + 60 * args.eval_minutes, done["seconds"] + 100
    started, start_tokens = time.time(), done["tokens"]
    while done["seconds"] < total:
        if stream is None or (done["steps"] == args.easy_steps and done["runs"] == 1):
            generate.DRILL = args.drill
            stream = data.batches(tok, seed + 500, args.tokens, limit=args.limit)
        ids, pick, target, _ = next(stream)
        at = done["seconds"] / total
        rate = min(1, (done["steps"] + 1) / 100) * min(1, (1 - at) / (1 - args.level) + 0.01)
        ids = torch.from_numpy(ids).to(args.device)
        logits = model(ids, torch.from_numpy(pick).to(args.device))
        loss = F.cross_entropy(logits, torch.from_numpy(target).to(args.device))
        loss.backward()
        for group in adam.param_groups:
            group["lr"] = args.adam_rate * rate
        adam.step()
        muon.step(args.muon_rate * rate)
        model.zero_grad(set_to_none=True)
        done["steps"] += 1
        done["tokens"] += ids.numel()
        keep = min(0.996, 1 - 1 / (1 + done["steps"] / 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - keep)
        losses.append(loss.item())
        now = time.time()
        done["seconds"] += now - last
        last = now
        if done["steps"] % 50 == 0:
            print(f"step {done['steps']} {done['seconds'] / 60:.1f} min {done['tokens'] / 1e6:.2f} M tokens "
                  f"{(done['tokens'] - start_tokens) / (now - started):.0f}/s loss {sum(losses) / len(losses):.4f} rate {rate:.3f}", flush=True)
            losses = []
        if done["seconds"] > next_eval or done["seconds"] >= total:
            next_eval = done["seconds"] + 60 * args.eval_minutes
            figures = report(copy.deepcopy(average).cpu(), tok, held_out, 6)
            log.write(json.dumps({**done, "figures": figures}) + "\n")
            log.flush()
            last = time.time()  # evaluation is not training time
        if done["seconds"] > next_save or done["seconds"] >= total:
            next_save = done["seconds"] + 100
            checkpoint_now()
    checkpoint_now()


if __name__ == "__main__":
    main()

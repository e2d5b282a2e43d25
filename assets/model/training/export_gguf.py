"""Writes a checkpoint as GGUF (llama), reads GGUF back, and compares the two.

    python export_gguf.py --model run/checkpoint.pt --tokenizer run/tokenizer.json --out frlm-records.gguf

The llama architecture of GGUF turns neighbouring pairs of a head's dimensions; training turns the
two halves. The rows of q and k are therefore permuted on export. `output.weight` is written even
though training ties it to the embedding: a temperature fitted on held-out examples is folded into it.
"""

import argparse
import importlib
import json
import os
from pathlib import Path

import gguf
import numpy as np
import torch

from model import Config, Model
from tokenizer import END, START, SPECIAL, TEMPLATE, load


def load_checkpoint(path):
    state = torch.load(path, map_location="cpu")
    model = Model(Config(**state["config"]))
    model.load_state_dict(state["average"])
    return model.eval()


def permute(weight, heads):
    """Half-split to interleaved order of a head's rows."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def restore(path):
    """The training model with the weights of a GGUF file: where a further training begins."""
    reader = gguf.GGUFReader(str(path))
    t = {x.name: torch.from_numpy(np.array(x.data)).float().reshape([int(n) for n in reversed(x.shape)]) for x in reader.tensors}
    number = lambda key: reader.fields[key].contents()
    heads = number("llama.attention.head_count")
    model = Model(Config(vocab=t["token_embd.weight"].shape[0], width=t["token_embd.weight"].shape[1], layers=number("llama.block_count"),
                         heads=heads, ff=number("llama.feed_forward_length"), rope_theta=number("llama.rope.freq_base")))

    def back(weight):
        rows, columns = weight.shape
        return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)

    with torch.no_grad():
        # A temperature that was folded into the head is not one of the embedding.
        model.embed.copy_(t["token_embd.weight"])
        model.norm.weight.copy_(t["output_norm.weight"])
        for i, b in enumerate(model.blocks):
            p = f"blk.{i}."
            b.attn_norm.weight.copy_(t[p + "attn_norm.weight"])
            b.qkv.copy_(torch.cat([back(t[p + "attn_q.weight"]), back(t[p + "attn_k.weight"]), t[p + "attn_v.weight"]]))
            b.out.copy_(t[p + "attn_output.weight"])
            b.ffn_norm.weight.copy_(t[p + "ffn_norm.weight"])
            b.gate_up.copy_(torch.cat([t[p + "ffn_gate.weight"], t[p + "ffn_up.weight"]]))
            b.down.copy_(t[p + "ffn_down.weight"])
    return model


RECORDS = ("FRLM records", "Copies the asked fields of one record; plans questions; compares short answers.")
BRAIN = ("FRLM brain", "Takes compound questions apart; says one answer as a clause; tells simple questions from complex ones.")


def write(model, tok, out, temperature=1.0, called=RECORDS):
    cfg = model.cfg
    part = str(out) + ".part"
    w = gguf.GGUFWriter(part, "llama")
    name, description = called
    w.add_name(name)
    w.add_author("FRLM contributors")
    w.add_license("MIT OR Apache-2.0")
    w.add_description(description)
    w.add_block_count(cfg.layers)
    w.add_context_length(cfg.context)
    w.add_embedding_length(cfg.width)
    w.add_feed_forward_length(cfg.ff)
    w.add_head_count(cfg.heads)
    w.add_head_count_kv(cfg.heads)
    w.add_layer_norm_rms_eps(cfg.eps)
    w.add_rope_dimension_count(cfg.head_dim)
    w.add_rope_freq_base(cfg.rope_theta)
    w.add_vocab_size(cfg.vocab)
    w.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    spec = json.loads(tok.to_str())["model"]
    pieces = [t for t, _ in sorted(spec["vocab"].items(), key=lambda item: item[1])]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    w.add_token_list(pieces)
    w.add_token_types([gguf.TokenType.CONTROL if t in SPECIAL else gguf.TokenType.NORMAL for t in pieces])
    w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in spec["merges"]])
    w.add_bos_token_id(tok.token_to_id(START))
    w.add_eos_token_id(tok.token_to_id(END))
    w.add_pad_token_id(tok.token_to_id(END))
    w.add_add_bos_token(False)
    w.add_chat_template(TEMPLATE)

    def half(tensor):
        return np.ascontiguousarray(tensor.detach().float().numpy()).astype(np.float16)

    def full(tensor):
        return np.ascontiguousarray(tensor.detach().float().numpy())

    w.add_tensor("token_embd.weight", half(model.embed))
    w.add_tensor("output_norm.weight", full(model.norm.weight))
    w.add_tensor("output.weight", half(model.embed / temperature))
    for i, b in enumerate(model.blocks):
        q, k, v = b.qkv.detach().chunk(3)
        gate, up = b.gate_up.detach().chunk(2)
        p = f"blk.{i}."
        w.add_tensor(p + "attn_norm.weight", full(b.attn_norm.weight))
        w.add_tensor(p + "attn_q.weight", permute(half(q), cfg.heads))
        w.add_tensor(p + "attn_k.weight", permute(half(k), cfg.heads))
        w.add_tensor(p + "attn_v.weight", half(v))
        w.add_tensor(p + "attn_output.weight", half(b.out))
        w.add_tensor(p + "ffn_norm.weight", full(b.ffn_norm.weight))
        w.add_tensor(p + "ffn_gate.weight", half(gate))
        w.add_tensor(p + "ffn_up.weight", half(up))
        w.add_tensor(p + "ffn_down.weight", half(b.down))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    os.replace(part, out)


class GgufModel:
    """A forward pass from the file's own tensors, with interleaved rotary embedding as engines do it."""

    def __init__(self, path):
        reader = gguf.GGUFReader(str(path))
        self.t = {t.name: torch.from_numpy(np.array(t.data)).float().reshape([int(n) for n in reversed(t.shape)]) for t in reader.tensors}
        number = lambda key: reader.fields[key].contents()
        self.layers, self.heads = number("llama.block_count"), number("llama.attention.head_count")
        self.theta, self.eps = number("llama.rope.freq_base"), number("llama.attention.layer_norm_rms_epsilon")

    def norm(self, x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.t[name + ".weight"]

    def __call__(self, ids, pick=None):
        t = self.t
        x = t["token_embd.weight"][ids]
        b, n, width = x.shape
        d = width // self.heads
        angle = torch.arange(n)[:, None] * self.theta ** (-torch.arange(0, d, 2) / d)
        cos, sin = angle.cos(), angle.sin()

        def turn(y):
            y = y.view(b, n, self.heads, d // 2, 2).transpose(1, 2)
            even, odd = y[..., 0], y[..., 1]
            return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

        mask = torch.full((n, n), float("-inf")).triu(1)
        for i in range(self.layers):
            p = f"blk.{i}."
            y = self.norm(x, p + "attn_norm")
            q, k = turn(y @ t[p + "attn_q.weight"].T), turn(y @ t[p + "attn_k.weight"].T)
            v = (y @ t[p + "attn_v.weight"].T).view(b, n, self.heads, d).transpose(1, 2)
            mixed = ((q @ k.transpose(-1, -2)) / d ** 0.5 + mask).softmax(-1) @ v
            x = x + mixed.transpose(1, 2).reshape(b, n, width) @ t[p + "attn_output.weight"].T
            y = self.norm(x, p + "ffn_norm")
            y = torch.nn.functional.silu(y @ t[p + "ffn_gate.weight"].T) * (y @ t[p + "ffn_up.weight"].T)
            x = x + y @ t[p + "ffn_down.weight"].T
        if pick is not None:
            x = x.reshape(-1, width)[pick]
        return self.norm(x, "output_norm") @ t["output.weight"].T


def load_gguf(path):
    return GgufModel(path)


def fit_temperature(model, tok, examples):
    """The temperature whose calibration error is least; 1 unless another is clearly better."""
    from evaluate import calibration_error, judge

    tries = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)
    results = judge(model, tok, examples, tries)
    table = {t: calibration_error([r for r in rows if r]) for t, rows in zip(tries, results)}
    best = min(table, key=table.get)
    return best if table[best] < table[1.0] - 0.002 else 1.0, table


def main():
    from evaluate import forced

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", default="generate", help="module with the mixture: generate, or brain_generate")
    parser.add_argument("--count", type=int, default=1500, help="held-out examples for the fit and the comparison")
    args = parser.parse_args()
    torch.set_num_threads(1)
    tok, model = load(args.tokenizer), load_checkpoint(args.model)
    examples = importlib.import_module(args.data).held_out_set(args.count, 770003)
    temperature, table = fit_temperature(model, tok, examples)
    print("calibration error by temperature", {t: round(e, 4) for t, e in table.items()}, "chosen", temperature)
    write(model, tok, args.out, temperature, BRAIN if args.data == "brain_generate" else RECORDS)
    back = load_gguf(args.out)
    ids = torch.tensor([tok.encode("<|user|>copy status, user\n001 order 4001 by user1 amount 3 shipped<|answer|>").ids])
    with torch.no_grad():
        gap = (back(ids) * temperature - model(ids)).abs().max().item()
    mine, theirs = forced(model, tok, examples), forced(back, tok, examples)
    changed = sum(a[0] != b[0] for a, b in zip(mine, theirs) if a and b)
    print(f"largest difference of logits {gap:.4f}; right or wrong differs on {changed} of {len(examples)}; "
          f"accuracy {np.mean([r[0] for r in theirs if r]):.4f}; {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()

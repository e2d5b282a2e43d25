"""The model: a plain llama (RMSNorm, rotary attention, SwiGLU), small enough for one CPU core.

Two things differ from a textbook implementation, both to spend little on a CPU:

* only the positions that predict an answer token reach the output head;
* attention starts from a *structured initialisation* (`structured_init`): the heads of the first
  layer look one, two, ... tokens back, those of later layers compare content with content. These
  are the two halves of the "find the key, copy what follows" circuit, which otherwise takes
  millions of tokens to appear. Training is free to change all of it.
"""

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    vocab: int = 768
    width: int = 128
    layers: int = 4
    heads: int = 4
    ff: int = 384
    rope_theta: float = 10000.0
    eps: float = 1e-5
    context: int = 1024

    @property
    def head_dim(self):
        return self.width // self.heads

    def to_dict(self):
        return asdict(self)


def rope_tables(cfg, length):
    """cos and sin of shape (length, head_dim) in the half-split layout."""
    half = cfg.head_dim // 2
    freq = cfg.rope_theta ** (-torch.arange(half, dtype=torch.float64) * 2 / cfg.head_dim)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * freq[None]
    angle = torch.cat([angle, angle], dim=1)
    sign = torch.cat([-torch.ones(half), torch.ones(half)])
    return angle.cos().float(), angle.sin().float() * sign


def rotate(x, cos, sin):
    """Turns the pairs (i, i + half); the sign of the first half lies in the table of sines."""
    return torch.addcmul(x * cos, x.roll(x.shape[-1] // 2, -1), sin)


class HalfLinear(torch.autograd.Function):
    """A product in bfloat16 between float32 ends: a quarter faster in training on CPUs that have it."""

    @staticmethod
    def forward(ctx, x, weight):
        rows, half = x.reshape(-1, x.shape[-1]).bfloat16(), weight.bfloat16()
        ctx.save_for_backward(rows, half)
        ctx.shape = x.shape
        return torch.mm(rows, half.t()).float().view(*x.shape[:-1], weight.shape[0])

    @staticmethod
    def backward(ctx, grad):
        rows, half = ctx.saved_tensors
        grad = grad.reshape(-1, grad.shape[-1]).bfloat16()
        return torch.mm(grad, half).float().view(ctx.shape), torch.mm(grad.t(), rows).float()


HALF = False  # set by train.py --half; evaluation always runs in float32


def linear(x, weight):
    return HalfLinear.apply(x, weight) if HALF and torch.is_grad_enabled() else F.linear(x, weight)


class RmsNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


class Block(nn.Module):
    """One transformer layer; q, k, v and gate, up are stored fused."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.attn_norm = RmsNorm(cfg.width, cfg.eps)
        self.qkv = nn.Parameter(torch.empty(3 * cfg.width, cfg.width))
        self.out = nn.Parameter(torch.empty(cfg.width, cfg.width))
        self.ffn_norm = RmsNorm(cfg.width, cfg.eps)
        self.gate_up = nn.Parameter(torch.empty(2 * cfg.ff, cfg.width))
        self.down = nn.Parameter(torch.empty(cfg.width, cfg.ff))

    def forward(self, x, cos, sin, pick=None):
        b, n, width = x.shape
        h, d = self.cfg.heads, self.cfg.head_dim
        qk, v = linear(self.attn_norm(x), self.qkv).split([2 * width, width], dim=-1)
        q, k = rotate(qk.view(b, n, 2 * h, d), cos, sin).transpose(1, 2).chunk(2, dim=1)
        v = v.view(b, n, h, d).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        mixed = mixed.transpose(1, 2).reshape(b, n, width)
        if pick is not None:  # the rest of the last layer is only needed where an answer is predicted
            mixed, x = mixed.reshape(-1, width)[pick], x.reshape(-1, width)[pick]
        x = x + linear(mixed, self.out)
        gate, up = linear(self.ffn_norm(x), self.gate_up).chunk(2, dim=-1)
        return x + linear(F.silu(gate) * up, self.down)


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Parameter(torch.empty(cfg.vocab, cfg.width))
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.norm = RmsNorm(cfg.width, cfg.eps)
        cos, sin = rope_tables(cfg, 512)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        structured_init(self)

    def forward(self, ids, pick=None):
        """Logits; with `pick` (flat positions) only of those positions. Embedding and head are tied."""
        x = F.embedding(ids, self.embed)
        cos, sin = self.cos[: ids.shape[1], None], self.sin[: ids.shape[1], None]
        for block in self.blocks[:-1]:
            x = block(x, cos, sin)
        x = self.blocks[-1](x, cos, sin, pick)
        return linear(self.norm(x), self.embed)

    def matrices(self):
        """The weight matrices inside the layers, which Muon trains."""
        return [p for b in self.blocks for p in (b.qkv, b.out, b.gate_up, b.down)]


@torch.no_grad()
def structured_init(model, gen_seed=7):
    cfg = model.cfg
    g = torch.Generator().manual_seed(gen_seed)

    def randn(*shape):
        return torch.randn(*shape, generator=g)

    w, d, half = cfg.width, cfg.head_dim, cfg.head_dim // 2
    model.embed.copy_(randn(cfg.vocab, w) * 0.8)
    model.embed[:, 0] = 3.0  # a constant that position heads can build on
    model.norm.weight.fill_(w ** -0.5)
    freq = cfg.rope_theta ** (-torch.arange(half) * 2 / d)
    for layer, block in enumerate(model.blocks):
        deep = (2 * cfg.layers) ** -0.5
        block.gate_up.copy_(randn(2 * cfg.ff, w) * w ** -0.5)
        block.down.copy_(randn(w, cfg.ff) * cfg.ff ** -0.5 * deep)
        qkv = (randn(3, w, w) * w ** -0.5).view(3, cfg.heads, d, w)
        out = randn(w, w) * w ** -0.5 * (1.0 if layer == 0 else deep)
        for head in range(cfg.heads):
            rows = slice(head * d, (head + 1) * d)
            back = head + 1 if layer == 0 and head < 3 else 1 if layer == 1 and head == 0 else None
            if back:  # attends to the token `back` places before
                qkv[:2, head] *= 0.3
                sharp = 2.2
                fast = 6  # only the quickly turning pairs of the rotary embedding
                qkv[0, head, :fast, 0] += sharp
                qkv[1, head, :fast, 0] += sharp * torch.cos(back * freq[:fast])
                qkv[1, head, half : half + fast, 0] += sharp * torch.sin(back * freq[:fast])
            elif layer > 0 and head % 2 == 1:  # attends to like content, and passes it on
                same = randn(d, w) * w ** -0.5
                same[: half // 2] *= 0.2
                same[half : half + half // 2] *= 0.2
                qkv[0, head] = same * 1.5 + 0.2 * qkv[0, head]
                qkv[1, head] = same * 1.5 + 0.2 * qkv[1, head]
                out[:, rows] = 0.7 * qkv[2, head].T * deep * 2 + 0.3 * out[:, rows]
        block.qkv.copy_(qkv.reshape(3 * w, w))
        block.out.copy_(out)

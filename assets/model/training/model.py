"""The model: a plain llama (RMSNorm, rotary attention, SwiGLU), small enough for one CPU core.

Two things differ from a textbook implementation, both to spend little on a CPU:

* only the positions that predict an answer token reach the output head;
* attention starts from a *structured initialisation* (`structured_init`): the heads of the first
  layer look one, two, ... tokens back, those of later layers compare content with content. These
  are the two halves of the "find the key, copy what follows" circuit, which otherwise takes
  millions of tokens to appear. Training is free to change all of it.
"""

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
    rope_theta: float = 100000.0
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


NEWLINE = 202  # id of the newline token: specials, then bytes in the order of the byte alphabet
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


# Dimensions of the residual stream that the structured initialisation uses for one fact each.
CONSTANT, IN_RECORD, MATCHED, MATCHED_BEFORE = 0, 1, 2, (3, 4, 5)
CONTENT = 7  # the first dimension that holds content


@torch.no_grad()
def structured_init(model, seed=7, newline=NEWLINE):
    """Random weights of scale 1/sqrt(fan-in), and in them a first sketch of the wanted circuit.

    Layer 0: three heads look one, two and three tokens back; the fourth tells the record from the
    question's line (is there a newline behind me?). Layer 1: two heads look for like content further
    back, so that a key in the record finds itself in the question, and note whether what they found
    is in the question. Layer 2: three heads carry that note one, two and three tokens on, from the
    key to its value. Layer 3: the heads attend to what carries the note, and copy it.

    Position is told by the quickly turning pairs of the rotary embedding, content by the slow ones.
    Training is free to change all of it; without it the circuit takes very long to appear.
    """
    cfg = model.cfg
    g = torch.Generator().manual_seed(seed)

    def randn(*shape):
        return torch.randn(*shape, generator=g)

    w, d, half = cfg.width, cfg.head_dim, cfg.head_dim // 2
    model.embed.copy_(randn(cfg.vocab, w) * 0.8)
    model.embed[:, :CONTENT] = 0
    model.embed[:, CONSTANT] = 3.0
    model.norm.weight.fill_(w ** -0.5)
    freq = cfg.rope_theta ** (-torch.arange(half) * 2 / d)
    fast, slow, still = 6, 7, half - 1
    line = model.embed[newline, CONTENT:] / model.embed[newline, CONTENT:].norm()
    basis = torch.linalg.qr(randn(w, w))[0]
    for layer, block in enumerate(model.blocks):
        block.gate_up.copy_(randn(2 * cfg.ff, w) * w ** -0.5)
        block.down.copy_(randn(w, cfg.ff) * (cfg.ff * 2 * cfg.layers) ** -0.5)
        block.down[:CONTENT] = 0
        q, k, v = (randn(3, w, w) * w ** -0.5).view(3, cfg.heads, d, w)
        out = randn(w, w) * w ** -0.5 * 0.5
        out[:CONTENT] = 0
        for head in range(cfg.heads):
            first = head * d  # the column of `out` that reads the head's first dimension
            if layer in (0, 2) and head < 3:
                back, sharp = head + 1, 1.6
                q[head] *= 0.1
                k[head] *= 0.1
                q[head, :fast, CONSTANT] += sharp
                k[head, :fast, CONSTANT] += sharp * torch.cos(back * freq[:fast])
                k[head, half : half + fast, CONSTANT] += sharp * torch.sin(back * freq[:fast])
                if layer == 2:
                    v[head, 0] = 0
                    v[head, 0, MATCHED] = 1
                    v[head, 0, IN_RECORD] = 4 / 3  # the question's line matches itself: of no interest
                    out[:, first] = 0
                    out[MATCHED_BEFORE[head], first] = 1
            elif layer == 0:
                q[head] *= 0.1
                k[head] *= 0.1
                q[head, still, CONSTANT] += 1.3
                k[head, still, CONTENT:] += line
                v[head, 0] = 0
                v[head, 0, CONTENT:] = line
                out[:, first] = 0
                out[IN_RECORD, first] = 0.28
            elif layer == 1 and head < 2:
                same = randn(d, w) * 0.15
                same[:slow] = same[half : half + slow] = 0
                same[:, :CONTENT] = 0
                q[head], k[head] = same, same
                q[head, :4, CONSTANT] = 1.0
                k[head, :4, CONSTANT] = -1.0
                q[head, still], k[head, still] = 0, 0  # where nothing is alike, rest on the newline
                q[head, still, CONSTANT] = 1.2
                k[head, still, CONTENT:] = line
                v[head, 0] = 0
                v[head, 0, CONSTANT] = 1 / 3
                v[head, 0, IN_RECORD] = -1 / 3
                out[:, first] = 0
                out[MATCHED, first] = 2
            elif layer == 3:
                q[head] *= 0.1
                k[head] *= 0.1
                q[head, still, CONSTANT] += 2.0
                k[head, still, MATCHED] = -1.0
                k[head, still, MATCHED_BEFORE[0]] = -1.0
                k[head, still, MATCHED_BEFORE[1]] = 2.0
                k[head, still, MATCHED_BEFORE[2]] = 1.5
                v[head] = basis[first : first + d]
                v[head, :, :CONTENT] = 0
                out[:, first : first + d] = 3 * v[head].T
        block.qkv.copy_(torch.cat([q.reshape(w, w), k.reshape(w, w), v.reshape(w, w)]))
        block.out.copy_(out)

"""Writes held-out fragments: several records of one style, a question, and what is right.

    python make_fragments.py --out fragments.jsonl --count 500

Each line: `style`, `records`, `question`, `field`, `value`, `values` (the field's value per record,
`-` where it has none) and `lines` (numbers, from 1, of the records where the field equals the value).
"""

import argparse
import json
from pathlib import Path

from asks import STYLE_BAG, askable, draw_record
from styles_free import STYLES, free
from words import Source


def fragment(s, size):
    """Records that share their form: free styles one template, keyed ones one draw of details."""
    style = s.pick([x for x in STYLE_BAG if x in STYLES])
    while True:
        first = draw_record(s, style)
        template = first.combo
        records = [first]
        for _ in range(4000):
            if len(records) == size:
                break
            record = free(style, s)
            if record.combo == template and len(record.text) <= 260:
                records.append(record)
        pairs = [(f.kind, n) for f, n in askable(s, first) if f.kind in ("status", "user", "level", "city", "order", "amount", "ip", "host", "service")]
        if len(records) < size or not pairs:
            continue
        kind, name = s.pick(pairs)
        values = [next((f.value for f in r.fields if f.kind == kind), "-") for r in records]
        value = s.pick(values)
        return {"style": style, "records": [r.text for r in records], "question": f"How many records have {name} {value}?", "field": name,
                "value": value, "values": values, "lines": [i + 1 for i, v in enumerate(values) if v == value]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--size", type=int, default=16)
    args = parser.parse_args()
    s = Source(515151, held_out=True)
    with open(args.out, "w", encoding="utf-8") as out:
        for _ in range(args.count):
            out.write(json.dumps(fragment(s, args.size), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

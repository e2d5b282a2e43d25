"""Writes held-out fragments with a question each, and what is right.

    python make_fragments.py --out ../fragments.jsonl.gz --count 2000

Each line: `task`, `style`, `records` (the lines of the file; CSV rows as the file holds them), `shown`
(CSV rows as a model reads them, else absent), `query` (reduction, measure, report, conditions; as
`conductor` serialises it), and what is right, found from the generator's own values: `lines` (numbers,
from 1, of the records that the answer cites), `values` (the measured field's value in them).
Values, invented words and about half of the listed words and of the keyed forms never occur in training
(`words.Source(held_out=True)`); records without keys use the templates of training.
"""

import argparse
import csv
import gzip
import io
import json
from pathlib import Path

from asks import STYLE_BAG
from files import EQUAL, KEYS_OF_RECORDS, NUMBER, NUMBERS, draw_file
from words import Source

SEED = 20261121
SIZES = [4, 6, 8, 12, 16, 16, 16, 24, 32, 40]
TASKS = ["list", "list", "count", "count", "exists", "find", "find", "not_found", "first", "last", "min", "max"]
# Words that the reducer takes for the same value in other spellings: not asked about.
AMBIGUOUS = {"yes", "no", "true", "false", "on", "off", "warn", "warning", "err", "error"}


def plain(text):
    return " ".join(text.replace("_", " ").lower().split())


def number(text):
    return float(text.removesuffix("ms"))


def equal_condition(s, asks, count, taken=()):
    """A condition that some record meets: (name, value, which records meet it)."""
    able = [(f, n, v) for f, n, v in asks if f.kind in EQUAL and n not in taken]
    s.r.shuffle(able)
    for _, name, values in able:
        fit = [v for v in values if v and plain(v) not in AMBIGUOUS and not v.replace(".", "").isdigit() and "," not in v]
        if fit:
            value = s.pick(fit)
            return name, value, [plain(v) == plain(value) for v in values]
    return None


def condition(name, value):
    return {"field": name, "comparison": "equal", "value": value}


def ask(s, task, asks, count):
    """(query, lines, values) or None where the file does not allow such a question."""
    conditions, hits = [], [True] * count
    if task in ("list", "count", "exists", "first", "last", "not_found") or s.chance(0.4):
        names = []
        for _ in range(2 if s.chance(0.25) and task != "not_found" else 1):
            drawn = equal_condition(s, asks, count, names)
            if drawn and any(a and b for a, b in zip(hits, drawn[2])):
                names.append(drawn[0])
                conditions.append(condition(drawn[0], drawn[1]))
                hits = [a and b for a, b in zip(hits, drawn[2])]
        if not conditions and task not in ("find", "min", "max"):
            return None
    at = [i for i in range(count) if hits[i]]
    query = {"reduction": task, "measure": None, "report": None, "conditions": conditions}
    if task == "not_found":
        field, name, values = next(a for a in asks if a[1] == conditions[0]["field"])
        for _ in range(50):  # a value of the same kind that this file does not have
            other = s.status() if field.kind == "status" else s.user() if field.kind == "user" else s.pseudo(2, 3)
            if all(plain(v) != plain(other) for v in values) and plain(other) not in AMBIGUOUS:
                break
        conditions[0]["value"] = other
        query["reduction"] = s.pick(["list", "count", "exists"])
        return query, [], []
    if task == "find":
        keys = [(n, v) for f, n, v in asks if f.kind in KEYS_OF_RECORDS and len({plain(x) for x in v}) == len(v) and all(v)]
        if not keys:
            return None
        name, keyed = s.pick(keys)
        others = [(n, v) for _, n, v in asks if n != name]
        if not others:
            return None
        measure, values = s.pick(others)
        row = s.int(0, count - 1)
        if not values[row]:
            return None
        query.update(measure=measure, conditions=[condition(name, keyed[row])])
        return query, [row], [values[row]]
    if task in ("min", "max"):
        able = [(n, v) for f, n, v in asks if f.kind in NUMBERS and all(NUMBER.fullmatch(x) for x in v) and n not in [c["field"] for c in conditions]]
        if not able or not at:
            return None
        measure, values = s.pick(able)
        best = (min if task == "min" else max)(number(values[i]) for i in at)
        query["measure"] = measure
        others = [(n, v) for _, n, v in asks if n != measure and n not in [c["field"] for c in conditions]]
        at = [i for i in at if number(values[i]) == best]
        if others and s.chance(0.3):
            query["report"] = s.pick(others)[0]
        return query, at, [values[i] for i in at]
    if not at:
        return None
    if task in ("first", "last"):
        at = [at[0] if task == "first" else at[-1]]
        others = [(n, v) for _, n, v in asks if n not in [c["field"] for c in conditions] and v[at[0]]]
        if others and s.chance(0.4):
            query["measure"], values = s.pick(others)
            return query, at, [values[at[0]]]
    return query, at, []


def csv_text(fields):
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([f.value for f in fields])
    return out.getvalue()


def copies(query, asks, count):
    """What a model that reads without fault copies from each record."""
    names = list(dict.fromkeys([c["field"] for c in query["conditions"]] + [n for n in (query["measure"], query["report"]) if n]))
    table = {n: v for _, n, v in asks}
    return names, ["".join((table[n][i] or "-") + "\n" for n in names) for i in range(count)]


def fragment(s, with_copies=False):
    task, size = s.pick(TASKS), s.pick(SIZES)
    while True:
        style = s.pick(STYLE_BAG)
        records, asks = draw_file(s, style, size)
        made = ask(s, task, asks, size)
        if made is None:
            continue
        query, lines, values = made
        row = {"task": task, "style": style, "query": query, "lines": [i + 1 for i in lines], "values": values}
        if style == "csv":
            row["records"] = [csv_text(r.fields) for r in records]
            row["shown"] = [r.text for r in records]
        else:
            row["records"] = [r.text for r in records]
        if with_copies:
            row["fields"], row["copies"] = copies(query, asks, size)
        return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--copies", action="store_true", help="also what each record's right copy is")
    args = parser.parse_args()
    s = Source(args.seed, held_out=True)
    text = "".join(json.dumps(fragment(s, args.copies), ensure_ascii=False, separators=(",", ":")) + "\n" for _ in range(args.count))
    data = text.encode()
    args.out.write_bytes(gzip.compress(data, 9, mtime=0) if args.out.suffix == ".gz" else data)
    print(f"{args.count} fragments, {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Which fields may be asked of a record, by which names, and the one right answer to each."""

import re

from kinds import KIND_OF_NAME, NAMES, near, norm
from styles import csv_row, json_line, kv_list, kv_log, recase
from styles_free import free
from words import Source, reserved

KEYED = {"kv_log": kv_log, "kv_list": kv_list, "csv": csv_row, "json": json_line}
WEIGHTS = [("kv_log", 13), ("kv_list", 10), ("csv", 9), ("json", 11), ("order", 22), ("ledger", 6), ("ticket", 9),
           ("app_log", 13), ("syslog", 4), ("access", 5)]
STYLE_BAG = [name for name, weight in WEIGHTS for _ in range(weight)]


def draw_record(s, style=None, limit=260):
    """A record; some combinations of style details are kept for evaluation."""
    style = style or s.pick(STYLE_BAG)
    while True:
        record = KEYED[style](s) if style in KEYED else free(style, s)
        record.style = style
        kept = style in KEYED and reserved(record.combo, 12)
        if kept and not s.held_out:
            continue
        if s.held_out and style in KEYED and not kept and s.chance(0.5):
            continue
        if 8 <= len(record.text) <= limit and record.fields:
            return record


def variant(s, key, exact=0.78):
    """The key as written, or with other case, separators or number."""
    if s.chance(exact):
        return key
    parts = [p for p in re.split(r"[^0-9A-Za-z]+|(?<=[a-z])(?=[A-Z])", key) if p]
    if not parts:
        return key
    snake = "_".join(p.lower() for p in parts)
    how = s.pick(["snake", "snake", "words", "words", "camel", "kebab", "UPPER", "Pascal", "Title", "plural"])
    if how == "plural":
        plural = key[:-1] + "ies" if key.endswith("y") and key[-2:-1] not in "aeiou" else key + "es" if key[-1] in "sx" else key + "s"
        return plural if key[-1].isalpha() and norm(key) not in ("item", "product", "piece", "bytes") and not key.endswith("y") else key
    return recase(snake, how)


def askable(s, record):
    """Every (field, name) that has exactly one right answer."""
    keys = {norm(f.key) for f in record.fields if f.key}
    out = []
    for f in record.fields:
        if f.key:
            name = variant(s, f.key)
            others = {norm(o.key) for o in record.fields if o.key and o is not f}
            if norm(name) in others:
                name = f.key
            if s.chance(0.22) and f.kind in NAMES and not any(near(o.kind, f.kind) for o in record.fields if o is not f):
                other = s.pick(NAMES[f.kind])
                clear = KIND_OF_NAME.get(norm(other), set())
                if norm(other) not in keys and not any(o.kind in clear for o in record.fields if o is not f):
                    name = other
            if f.kind in ("date", "time") and s.chance(0.12) and not {norm("timestamp"), norm("datetime")} & keys and not any(near(o.kind, f.kind) for o in record.fields if o is not f):
                name = "timestamp"  # the fullest date or time that there is
            out.append((f, name))
        else:
            name = s.pick(f.names or NAMES[f.kind])
            mean = KIND_OF_NAME.get(norm(name), set())
            if norm(name) in keys or any(o is not f and (o.kind in mean and o.kind != f.kind) for o in record.fields
                                         if not (f.kind in ("date", "time", "timestamp"))):
                name = f.kind if norm(f.kind) not in keys else None
            if name:
                if s.chance(0.12):
                    name = variant(s, name, 0)
                out.append((f, name))
    return out


def absent(s, record):
    """A name that nothing in the record answers to; None if none was found."""
    keys = {norm(f.key) for f in record.fields if f.key}
    for _ in range(12):
        x = s.r.random()
        if x < 0.62:
            kind = s.pick(list(NAMES))
            if kind in record.banned or any(near(kind, f.kind) for f in record.fields):
                continue
            name = s.pick(NAMES[kind])
            meant = KIND_OF_NAME[norm(name)]
            if any(near(k, f.kind) for k in meant for f in record.fields) or meant & record.banned:
                continue
        elif x < 0.75:
            name = s.pseudo(1, 2)
        elif x < 0.92:
            own = [f.key for f in record.fields if f.kind == "invented" and f.key]
            if not own:
                continue
            name = s.pick(own)
            y = s.r.random()
            if y < 0.4:
                name += s.pick(["_max", "_min", "_old", "_type", "_id"])
            elif y < 0.6 and "_" in name:
                name = name.rsplit("_", 1)[0]
            else:
                i = s.int(0, len(name) - 1)
                name = name[:i] + s.pick("abcdefghiklmnoprtuvwz") + name[i + 1:]
        else:
            words = [f.value for f in record.fields if f.key and f.value.isascii() and f.value.isalpha() and norm(f.value) not in KIND_OF_NAME]
            if not words:
                continue
            name = s.pick(words)
        if norm(name) and norm(name) not in keys and (x < 0.62 or norm(name) not in KIND_OF_NAME):
            return variant(s, name, 0.85)
    return None


def copy_example(s, style=None, limit=260, many=True):
    """(prompt, answer, style) of a `copy` prompt."""
    while True:
        record = draw_record(s, style, limit)
        pairs = askable(s, record)
        if not pairs:
            continue
        s.r.shuffle(pairs)
        x = s.r.random()
        if many:  # in training more fields at once: more answers per record
            n = 1 if x < 0.28 else 2 if x < 0.52 else 3 if x < 0.76 else s.int(4, 8)
        else:
            n = 1 if x < 0.40 else 2 if x < 0.70 else 3
        asked, used = [], set()
        for f, name in pairs:
            if len(asked) == n:
                break
            if norm(name) in used:
                continue
            used.add(norm(name))
            asked.append((name, f.value or "-"))
        if s.chance((0.20 if many else 0.10) if n == 1 else (0.25 if many else 0.14)):
            name = absent(s, record)
            if name and norm(name) not in used:
                asked[s.int(0, len(asked) - 1)] = (name, "-")
        if any("\n" in v or "," in n for n, v in asked):
            continue
        ask = ", ".join(name for name, _ in asked)
        return f"copy {ask}\n{record.text}", "".join(v + "\n" for _, v in asked), style or record.style


DRILL_FORMS = [("=", " "), ("=", ", "), (": ", ", "), ("=", " "), (":", ","), (" ", ", "), (" = ", "; "), ("=", ";"), (": ", " | "), ("\": \"", "\", \"")]


def drill_example(s):
    """Finding alone: short keys that mean nothing, short values, many asked at once, any order.

    Without it, the skill to find a key that is seen for the first time comes late.
    """
    eq, sep = s.pick(DRILL_FORMS)
    pool = {}
    easy = s.chance(0.5)
    for _ in range(s.int(2, 5 if easy else 9)):
        key = s.pick([s.word, s.word, s.name, lambda: s.pseudo(1, 1), lambda: s.pseudo(1, 2), lambda: s.letters(1, 3), lambda: s.pick(list(NAMES))])()
        x = s.r.random()
        value = str(s.int(0, 99)) if x < 0.4 else s.word() if x < 0.7 else s.pseudo(1, 1) if x < 0.9 else s.digits(3, 4)
        if key not in pool.values():
            pool.setdefault(key, value)
    text = sep.join(k + eq + v for k, v in pool.items())
    if eq[0] == '"':
        text = '{"' + text + '"}'
    elif s.chance(0.4):
        text = s.pick(["{} ", "[{}] ", "{}: "]).format(s.pick([s.word, s.time, lambda: str(s.int(1, 999)), s.name])()) + text
    names = list(pool)
    s.r.shuffle(names)
    names = names[: 1 if easy else s.pick([1, 1, 2, 2, 3, 4, 6, 9])]
    answer = [pool[n] for n in names]
    if s.chance(0.12):
        other = s.pseudo(1, 1)
        if other not in pool:
            i = s.int(0, len(names) - 1)
            names[i], answer[i] = other, "-"
    return "copy " + ", ".join(names) + "\n" + text, "".join(v + "\n" for v in answer), "drill"


if __name__ == "__main__":
    import sys
    s = Source(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    only = sys.argv[2] if len(sys.argv) > 2 else None
    for _ in range(30):
        prompt, answer, style = copy_example(s, only)
        print(f"--- {style}\n{prompt}\n=> {answer!r}")

"""Records whose fields carry a key: logs, comma lists, JSON lines, CSV rows shown with their header.

A record is a `Record`: its text, its style, the *combination* of style details it was built from,
and its fields. A value is the exact text that a right answer copies. Records without keys are in
`styles_free.py`; what may be asked of a record, and what not, is decided in `asks.py`.
"""

import json
from dataclasses import dataclass, field

from kinds import KEYS, draw, near, norm
from words import LEVELS


@dataclass
class Field:
    kind: str          # a key of kinds.NAMES / kinds.KEYS, or "invented"
    value: str         # the text to copy; "" for an empty value
    key: str = None    # as written in the record; None where position or wording tells the kind
    names: list = None  # names it may be asked by, where they are not those of its kind


@dataclass
class Record:
    text: str
    style: str
    combo: str
    fields: list
    banned: set = field(default_factory=set)  # kinds that must not be asked as absent


SETS = [  # fields that occur together
    ["order", "user", "amount", "status", "date", "product", "quantity", "currency", "city"],
    ["timestamp", "level", "service", "message", "user", "ip", "duration", "host", "code"],
    ["ticket", "status", "priority", "user", "subject", "department", "date", "category"],
    ["method", "path", "code", "duration", "ip", "size", "user_agent", "timestamp", "user_id"],
    ["invoice", "user", "amount", "amount_due", "currency", "status", "order_date", "country"],
    ["user", "user_id", "email", "age", "city", "country", "phone", "status", "balance", "flag"],
    ["host", "service", "version", "region", "pid", "port", "status", "level", "retries", "reason"],
    ["product", "category", "amount", "quantity", "score", "flag", "order", "session", "device"],
]


def recase(key, how):
    parts = key.split("_")
    if how == "camel":
        return parts[0] + "".join(p.capitalize() for p in parts[1:])
    if how == "Pascal":
        return "".join(p.capitalize() for p in parts)
    if how == "kebab":
        return "-".join(parts)
    if how == "UPPER":
        return key.upper()
    if how == "Title":
        return " ".join(p.capitalize() for p in parts)
    if how == "words":
        return " ".join(parts)
    if how == "dotted":
        return ".".join(parts)
    return key


CASES = ["snake"] * 10 + ["camel"] * 3 + ["Pascal", "kebab", "UPPER", "Title", "words", "dotted"]


def invented_key(s):
    x = s.r.random()
    if x < 0.6:
        return s.pseudo(1, 2)
    if x < 0.8:
        return s.pseudo(1, 2) + "_" + s.pick(["id", "ms", "count", "type", "code", "name", "max", "at", "no"])
    if x < 0.9:
        return s.pseudo(1, 2) + "_" + s.pseudo(1, 1)
    return s.letters(1, 3) + (str(s.int(1, 9)) if s.chance(0.3) else "")


def draw_fields(s, low, high, skip=(), case="snake"):
    """Fields with keys, no two of which could be mistaken for one another by name."""
    n = s.int(low, high)
    x = s.r.random()
    if x < 0.55:
        pool = list(s.pick(SETS))
        if s.chance(0.4):
            s.r.shuffle(pool)
    elif x < 0.8:
        pool = list(KEYS)
        s.r.shuffle(pool)
    else:
        pool = ["invented"] * n
    share = s.pick([0, 0, 0.15, 0.4])
    fields, seen = [], set()
    for kind in pool + ["invented"] * 3:
        if len(fields) == n:
            break
        if s.chance(share):
            kind = "invented"
        elif len(pool) > n and s.chance(0.25):
            continue
        if kind in skip:
            continue
        key = invented_key(s) if kind == "invented" else s.pick(KEYS[kind])
        mark = norm(key)
        if mark in seen or not mark:
            continue
        seen.add(mark)
        value = s.file.draw(kind, key) if s.file else draw(kind, s)
        fields.append(Field(kind, value, recase(key, case)))
        if s.chance(0.10) and len(fields) < n:  # a key that the last key is a prefix of, with a like value
            longer = key + "_" + s.pick(["max", "min", "old", "new", "prev", "alt", "raw", "two", s.pseudo(1, 1)])
            if norm(longer) not in seen:
                seen.add(norm(longer))
                other = Field("invented", draw(kind, s), recase(longer, case))
                fields.insert(len(fields) - s.int(0, 1), other)
    if s.chance(0.08) and len(fields) > 1:  # the name of one field as the value of another
        a, b = s.r.sample(range(len(fields)), 2)
        if fields[a].kind in ("invented", "category", "reason", "message"):
            fields[a].value = fields[b].key
    if s.chance(0.06) and len(fields) > 1:  # an empty value
        fields[s.int(0, len(fields) - 1)].value = ""
    return s.file.kept(fields) if s.file else fields


def line_number(s):
    """Now and then a record begins with a line number."""
    if s.chance(0.86):
        return "", "n0"
    n = s.int(1, 9999)
    n = s.file.number() if s.file else n
    form = s.pick(["{:03d} ", "{:04d} ", "{} ", "{}: ", "{}. ", "{:02d}) ", "[{}] ", "L{} "])
    return form.format(n), "n1"


def quote(value, mode, unsafe):
    """The value as written; quotes are not part of what is copied."""
    if mode == "all" or (mode == "need" and (any(c in value for c in unsafe) or value == "")):
        return '"' + value.replace('"', "") + '"'
    return value


def kv_log(s):
    eq = s.pick(["=", "=", "=", "=", ":"])
    mode = s.pick(["need", "need", "need", "all"])
    case = s.pick(CASES)
    case = "snake" if case in ("Title", "words") else case
    pre = s.pick(["none", "none", "stamp", "stamp-level", "level", "level-service", "words", "stamp-level-words", "service"])
    number, has_number = line_number(s)
    fields, head = [], []
    if "stamp" in pre:
        text, parts = s.file.one("stamp", s.file.values.stamp) if s.file else s.stamp()
        bracket = s.pick(["{}", "{}", "{}", "[{}]"])
        head.append(bracket.format(text))
        fields += [Field(k, v) for k, v in parts.items()]
    if "level" in pre:
        level = s.file.draw("level") if s.file else s.listed(LEVELS)
        head.append(s.pick(["{}", "{}", "[{}]", "{}:", "<{}>"]).format(level))
        fields.append(Field("level", level))
    if "service" in pre:
        service = s.file.draw("service") if s.file else s.service()
        head.append(s.pick(["{}:", "[{}]", "{}:"]).format(service))
        fields.append(Field("service", service))
    banned = set()
    if "words" in pre:
        head.append((s.file.values if s.file else s).phrase(1, 4))
        banned |= {"message", "subject", "status", "reason", "product", "service", "category", "department", "city", "host", "user"}
    skip = {k for f in fields for k in KEYS if near(k, f.kind)} | (banned & {"message", "subject"})
    keyed = draw_fields(s, 1 if head else 2, 7, skip, case)
    taken = {norm(f.key) for f in keyed}
    fields = [f for f in fields if not any(norm(n) in taken for n in [f.kind])]
    gap = s.pick([" ", " ", " ", " ", "  "])
    parts = [f"{f.key}{eq}{quote(f.value, mode, ' ,;=')}" for f in keyed]
    return Record(number + gap.join(head + parts), "kv_log", f"kv_log {eq} {mode} {case} {pre} {has_number} {len(gap)}", fields + keyed, banned)


def kv_list(s):
    eq = s.pick([": ", ": ", "=", " = ", ":", " -> ", " : "])
    sep = s.pick([", ", ", ", "; ", " | ", ",", ";", " |", "\t", " / "])
    mode = s.pick(["never", "never", "need", "all"])
    case = s.pick(CASES)
    wrap = s.pick(["{}", "{}", "{}", "{}", "{{{}}}", "({})", "[{}]", "{}.", "- {}", "record {}", "{};"])
    number, has_number = line_number(s)
    fields = draw_fields(s, 2, 8, case=case)
    bad = sep.strip() or sep
    for f in fields:
        if mode == "never":
            f.value = f.value.replace(bad, " " if bad not in " /" else "-").strip() if bad in f.value else f.value
            if bad == "/":
                f.value = f.value.replace("/", "-")
    parts = [f"{f.key}{eq}{quote(f.value, mode, ',;|/' + bad)}".rstrip() for f in fields]
    return Record(number + wrap.format(sep.join(parts)), "kv_list", f"kv_list {eq} {sep} {mode} {case} {wrap} {has_number}", fields)


def csv_row(s):
    """How the program shows a CSV row: every value with the name of its column, never quoted."""
    case = s.pick(CASES)
    fields = draw_fields(s, 3, 10, case=case)
    for f in fields:
        if f.kind in ("user", "message", "subject", "invented", "reason") and s.chance(0.05) and f.value.isalpha():
            f.value += ", " + s.pick([s.name, s.word])()
    parts = [f"{f.key}={f.value}" for f in fields]
    return Record(", ".join(parts), "csv_row", f"csv {case} {len(fields)}", fields)


def json_line(s):
    gaps = s.pick([(", ", ": "), (", ", ": "), (",", ":"), (", ", ":")])
    case = s.pick(["snake"] * 6 + ["camel"] * 4 + ["Pascal", "kebab", "UPPER", "words"])
    fields = draw_fields(s, 2, 8, case=case)
    numbers = s.pick(["bare", "bare", "text"])
    parts = []
    for f in fields:
        plain = f.value.lstrip("-").replace(".", "", 1)
        if numbers == "bare" and plain.isascii() and plain.isdigit() and (len(plain) == 1 or plain[0] != "0" or "." in f.value[:3]) and f.value[0] != "+":
            written = f.value
        elif f.value in ("true", "false"):
            written = f.value
        elif f.kind in ("flag", "invented", "reason") and s.chance(0.08):
            f.value = written = s.pick(["null", "true", "false"])
        else:
            f.value = f.value.replace('"', "").replace("\\", "")
            written = json.dumps(f.value, ensure_ascii=False)
        parts.append(json.dumps(f.key, ensure_ascii=False) + gaps[1] + written)
    number, has_number = line_number(s) if s.chance(0.3) else ("", "n0")
    return Record(number + "{" + gaps[0].join(parts) + "}", "json", f"json {gaps} {case} {numbers} {has_number}", fields)

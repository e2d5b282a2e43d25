"""`same` (do two short answers mean the same), `better` (which of two fits the record), and
instructions that the model does not know (`?`)."""

from asks import askable, draw_record
from kinds import draw
from questions import plan_example
from words import MONTHS

SYNONYMS = [["yes", "true", "Yes", "YES", "yes.", "Yes.", "y"], ["no", "false", "No", "NO", "no.", "No.", "n"],
            ["none", "None", "no lines", "nothing", "-", "not found", "Not found.", "no match", "no results", "no matches"]]
MEASURES = [("ms", ["{}ms", "{} ms", "{} milliseconds"]), ("s", ["{}s", "{} s", "{} seconds", "{} sec"]), ("EUR", ["{} EUR", "{}€", "EUR {}", "{} euros", "€{}"]),
            ("USD", ["{} USD", "${}", "USD {}", "{} dollars"]), ("", ["{}", "{} lines", "{} orders", "{} records", "{} entries", "{} matches"]), ("%", ["{}%", "{} %", "{} percent"])]


def number_forms(s, text):
    """Other ways to write a number."""
    whole, _, part = text.partition(".")
    forms = [text]
    if len(whole) > 3 and whole.isdigit():
        forms.append(f"{int(whole):,}" + ("." + part if part else ""))
    if not part:
        forms.append(whole + ".0" if s.chance(0.5) else whole + ".00")
    elif part.endswith("0"):
        forms.append(whole + "." + part.rstrip("0") if part.rstrip("0") else whole)
    elif len(part) == 1:
        forms.append(text + "0")
    return forms


def alter(s, text):
    """A text that looks much like the given one, but means something else."""
    places = [i for i, c in enumerate(text) if c.isalnum()]
    if not places:
        return text + "x"
    i = s.pick(places)
    x = s.r.random()
    if text[i].isdigit():
        if x < 0.7:
            return text[:i] + s.pick([d for d in "0123456789" if d != text[i]]) + text[i + 1:]
        if x < 0.85:
            return text[: i + 1] + s.pick("123456789") + text[i + 1:]
        return text.replace(".", "", 1) if "." in text else text[:i] + s.pick([d for d in "123456789" if d != text[i]]) + text[i + 1:]
    return text[:i] + s.pick([c for c in "abcdefghijklmnoprstuvwz" if c != text[i].lower()]) + text[i + 1:]


def same_example(s):
    """(prompt, answer, kind)"""
    question = plan_example(s)[0][5:] if s.chance(0.8) else s.phrase(3, 7) + "?"
    kind = s.pick(["number", "number", "number", "word", "word", "list", "list", "yesno", "measure", "measure", "date", "text"])
    same = s.chance(0.5)
    if kind in ("number", "measure"):
        base = s.number() if s.chance(0.6) else f"{s.int(0, 9999)}.{s.int(1, 99):02d}"
        other = base if same else alter(s, base) if s.chance(0.75) else s.number()
        if not same and other.replace(",", "") and float(other) == float(base):
            other = base + "1"
        a, b = s.pick(number_forms(s, base)), s.pick(number_forms(s, other))
        if kind == "measure":
            _, forms = s.pick(MEASURES)
            a, b = s.pick(forms).format(a), s.pick(forms).format(b)
    elif kind == "word":
        base = s.pick([s.user, s.full_name, s.status, s.host, s.service, s.order, s.ip])()
        other = base if same else alter(s, base) if s.chance(0.5) else s.pick([s.user, s.status, s.host, s.order])()
        if not same and other.lower() == base.lower():
            other += "x"
        dress = [str, str, str.lower, str.upper, lambda t: t + ".", lambda t: f'"{t}"', lambda t: " " + t, str.capitalize]
        a, b = base, s.pick(dress)(other)
    elif kind == "list":
        items = list(dict.fromkeys(s.pick([s.user, s.order, s.number])() for _ in range(s.int(2, 4))))
        if len(items) < 2:
            items.append("zz" + items[0])
        other = list(items)
        s.r.shuffle(other)
        if not same:
            x = s.r.random()
            if x < 0.4:
                other.pop()
            elif x < 0.7:
                i = s.int(0, len(other) - 1)
                other[i] = alter(s, other[i])
            else:
                other.append(s.user())
            if sorted(o.lower() for o in other) == sorted(i.lower() for i in items):
                other.append("q" + other[0])
        a, b = s.pick([", ", ", ", "; ", " and "]).join(items), s.pick([", ", ", ", "; "]).join(other)
    elif kind == "yesno":
        one = s.pick(SYNONYMS)
        other = one if same else s.pick([g for g in SYNONYMS if g is not one])
        a, b = s.pick(one), s.pick(other)
        if not same and {SYNONYMS.index(one), SYNONYMS.index(other)} == {1, 2}:
            b = s.pick(SYNONYMS[0])
    elif kind == "date":
        y, m, d = s.int(2019, 2029), s.int(1, 12), s.int(13, 28)
        iso = f"{y}-{m:02d}-{d:02d}"
        other = iso if same else alter(s, iso)
        a = iso
        b = other
        if other[:4].isdigit() and len(other) == 10 and "01" <= other[5:7] <= "12":
            month = MONTHS[int(other[5:7]) - 1]
            b = s.pick([other, other.replace("-", "/"), f"{other[8:]}.{other[5:7]}.{other[:4]}", f"{int(other[8:])} {month} {other[:4]}"])
    else:
        a = s.phrase(2, 5)
        b = a if same else s.phrase(2, 5) if s.chance(0.5) else " ".join(w for w in a.split(" ")[:-1]) + " " + s.pseudo(2, 3)
        if same:
            b = s.pick([str, str.upper, str.capitalize, lambda t: t + "."])(b)
    if s.chance(0.5):
        a, b = b, a
    return f"same\nQUESTION: {question}\nA: {a}\nB: {b}", "yes\n" if same else "no\n", kind


ASK = ["What is the {f}?", "What is the {f} of this record?", "Which {f} does it have?", "{f}?", "Find the {f}", "What {f} is it?", "Copy the {f}",
       "What was the {f}?", "Tell me the {f}", "What is the {f} here?"]


def better_example(s):
    while True:
        record = draw_record(s, limit=200)
        pairs = [(f, n) for f, n in askable(s, record) if f.value]
        if not pairs:
            continue
        target, name = s.pick(pairs)
        others = [f.value for f, _ in pairs if f.value.lower() != target.value.lower()]
        x = s.r.random()
        wrong = s.pick(others) if others and x < 0.55 else "-" if x < 0.65 else alter(s, target.value) if x < 0.9 else draw(target.kind, s)
        if wrong == target.value or wrong in target.value or target.value in wrong:
            continue
        first = s.chance(0.5)
        a, b = (target.value, wrong) if first else (wrong, target.value)
        return f"better\nQUESTION: {s.listed(ASK).format(f=name)}\nRECORD: {record.text}\nA: {a}\nB: {b}", "A\n" if first else "B\n", record.style


COMMANDS = ["translate", "summarize", "explain", "rewrite", "sum", "sort", "count", "delete", "hello", "write", "describe", "answer", "list",
            "extract all", "classify", "rank", "merge", "paste", "move", "fix", "reply", "judge", "vote", "plans", "copying", "worse", "different", "score"]


def unknown_example(s):
    x = s.r.random()
    question = plan_example(s)[0][5:]
    if x < 0.3:
        text = question
    elif x < 0.6:
        text = (s.pick(COMMANDS) if s.chance(0.6) else s.pseudo(1, 2)) + (" " + s.word() if s.chance(0.3) else "") + "\n" + s.pick([lambda: question, lambda: draw_record(s, limit=160).text])()
    elif x < 0.8:
        text = s.phrase(1, 8)
    else:
        text = draw_record(s, limit=160).text
    return text, "?\n", "unknown"


if __name__ == "__main__":
    from words import Source
    source = Source(5)
    for make in (same_example, better_example, unknown_example):
        for _ in range(14):
            print(make(source))

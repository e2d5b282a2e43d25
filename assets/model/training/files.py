"""Records as they stand in one file: one form, fields of one shape, few users and many orders.

A style function draws the form of a record and its values from one `Source`. Here the form is drawn
from the same seed for every record of a file, and the values from another: `kinds.draw`, `styles` and
`styles_free` ask `Source.file` for values where it is set.
"""

import re

from asks import KEYED, askable, draw_record
from kinds import KIND_OF_NAME, draw, near, norm
from styles_free import fill, free
from words import Source

# Kinds of which a file holds few values: users, states, machines.
POOLED = {"status", "user", "level", "city", "service", "host", "product", "method", "priority", "category", "department", "country",
          "currency", "region", "code", "reason", "fullname", "prio", "flag", "version", "device", "label"}
# Kinds whose values look alike all over a file.
SHAPED = {"date", "time", "timestamp", "stamp", "sysstamp", "weblog", "order", "ticket", "invoice", "amount", "duration", "size", "phone",
          "user_id", "session", "order_date", "amount_due", "balance", "score", "age", "currency", "ip", "email", "quantity", "pid", "priority", "prio",
          "level", "method", "flag", "code"}
# Kinds that a condition may ask to be equal to something.
EQUAL = {"status", "user", "level", "city", "service", "host", "product", "method", "priority", "category", "department", "country",
         "currency", "ip", "reason", "region", "code"}
KEYS_OF_RECORDS = {"order", "ticket", "invoice", "session", "email", "user_id"}
NUMBERS = {"amount", "duration", "quantity", "size", "score", "age", "balance", "retries", "amount_due", "code"}
NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,3})?(ms)?")


def shape(text):
    """`2026-03-02` and `2027-11-30` have one shape; lengths of runs do not count beyond letters and digits."""
    text = re.sub(r"[A-Z]+", "A", re.sub(r"[a-z]+", "a", text))
    return re.sub(r"\d+", "9", text)


class File:
    """Draws records of one form."""

    def __init__(self, seed, style, held_out=True, drop=0.0):
        self.seed, self.style, self.held_out, self.drop = seed, style, held_out, drop
        self.values = Source(seed + 1, held_out)
        self.pools, self.shapes, self.columns = {}, {}, {}
        self.line = self.values.int(1, 400)
        self.combo = None

    # -- what the styles ask for ---------------------------------------------------------------------
    def one(self, kind, make, mark=None):
        """A value of a kind, alike in shape with those before it, perhaps one of them."""
        mark = mark or kind
        pool = self.pools.get(mark)
        if pool and self.values.chance(len(pool) / (len(pool) + (2 if len(pool) < 8 else 0))):
            return self.values.pick(pool)
        value, wanted = None, self.shapes.get(mark)
        for _ in range(60):
            value = make()
            text = value if isinstance(value, str) else value[0]
            if kind not in SHAPED or wanted is None or shape(text) == wanted:
                break
        else:
            value = self.columns[mark]  # such a shape was not found again
        self.shapes.setdefault(mark, shape(value if isinstance(value, str) else value[0]))
        self.columns[mark] = value
        if kind in POOLED:
            self.pools.setdefault(mark, []).append(value)
        return value

    def draw(self, kind, column=None):
        if kind == "invented" and column:
            first = self.shapes.get(column)
            for _ in range(80):
                value = draw(kind, self.values)
                if first is None or shape(value) == first:
                    break
            else:
                value = self.columns[column]
            self.shapes.setdefault(column, shape(value))
            self.columns[column] = value
            return value
        return self.one(kind, lambda: draw(kind, self.values))

    def fill(self, kind, fields, banned):
        """What `styles_free.fill` does, for this file."""
        def make():
            own = []
            text = fill(kind, self.values, own, banned)
            return text, own
        text, own = self.one(kind, make)
        fields.extend(type(f)(f.kind, f.value, f.key, f.names) for f in own)
        return text

    def number(self):
        self.line += 1
        return self.line

    def kept(self, fields):
        """Some files leave fields out of some records."""
        if not self.drop or len(fields) < 3:
            return fields
        return fields[:1] + [f for f in fields[1:] if not self.values.chance(self.drop)]

    # -- records -------------------------------------------------------------------------------------
    def record(self):
        s = Source(self.seed, self.held_out)
        s.file = self
        record = KEYED[self.style](s) if self.style in KEYED else free(self.style, s)
        record.style = self.style
        return record


def named(record, name, field):
    """The one value that a name has in another record of the file; None if that is not clear."""
    if field.key:
        own = [f for f in record.fields if f.key == field.key]
        if not own and any(near(f.kind, field.kind) for f in record.fields):
            return None
        return own[0].value if own else ""
    own = [f for f in record.fields if f.kind == field.kind and not f.key]
    clear = KIND_OF_NAME.get(norm(name), set())
    timely = field.kind in ("date", "time", "timestamp")
    if len(own) != 1 or not timely and any(f.kind in clear and f.kind != field.kind for f in record.fields):
        return None
    if norm(name) in {norm(f.key) for f in record.fields if f.key}:
        return None
    return own[0].value


def draw_file(s, style, size):
    """(records, [(field, name, values)]): a file's records, and what may be asked of all of them."""
    while True:
        seed = s.int(0, 1 << 40)
        drop = 0.15 if style in ("kv_log", "kv_list", "json") and s.chance(0.25) else 0.0
        file = File(seed, style, s.held_out, drop)
        records = [r for r in (file.record() for _ in range(3 * size)) if 8 <= len(r.text) <= 260 and r.fields and r.combo == file_combo(file, r)]
        if len(records) < size or not kept_for(s, records[0]):
            continue
        pairs = askable(s, records[0])
        asks = []
        for field, name in pairs:
            values = [named(r, name, field) for r in records]
            asks.append((field, name, values))
        # A record in which some asked field is not clear is left out; fields that are seldom clear are not asked.
        asks = [a for a in asks if sum(v is None for v in a[2]) < len(records) // 3]
        clear = [i for i in range(len(records)) if all(v is not None and "\n" not in v for _, _, values in asks for v in (values[i],))]
        if len(clear) < size or not asks:
            continue
        clear = clear[:size]
        return [records[i] for i in clear], [(f, n, [values[i] for i in clear]) for f, n, values in asks if "," not in n]


def file_combo(file, record):
    file.combo = file.combo or record.combo
    return file.combo


def kept_for(s, record):
    """Training never sees the forms that `asks.draw_record` keeps for evaluation."""
    from words import reserved
    kept = record.style in KEYED and reserved(record.combo, 12)
    return kept == s.held_out or s.held_out and (record.style not in KEYED or s.chance(0.5))


if __name__ == "__main__":
    import sys
    source = Source(int(sys.argv[1]), held_out=True)
    for style in sys.argv[2:]:
        records, asks = draw_file(source, style, 6)
        print(f"--- {style}", [n for _, n, _ in asks])
        print("\n".join(r.text for r in records))
        print([(n, v) for _, n, v in asks][:2])

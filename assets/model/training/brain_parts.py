"""Parts of compound questions: how a part is asked plainly, as code reads it, and what its answer sounds like.

A part is plain if `questions/src/question/parse.rs` reads it. `{K}` is what tells the records apart, `{P}` who stands in
them, `{M}` what can be added up, `{S}` their state, `{C}` another field; small letters are values.
"""

from kinds import draw
from questions import GENERIC, STATUS_AFTER, USER_AFTER
from words import FILLER, reserved

PERSONS = ["user", "user", "customer", "client", "buyer", "member", "account", "owner", "agent", "driver", "guest", "seller",
           "employee", "patient", "player", "author", "sender", "supplier"]
KEYS = ["order", "order", "order", "order", "order", "ticket", "invoice", "booking", "shipment", "request", "payment", "job", "case", "parcel", "rental",
        "claim", "visit", "trip", "delivery", "loan", "transfer"]
MEASURES = ["amount", "amount", "price", "cost", "duration", "latency", "total", "fee", "quantity", "size", "score", "weight",
            "distance", "balance", "discount", "tax", "length", "points"]
STATES = ["status", "status", "status", "state", "result", "outcome"]
OTHERS = ["city", "country", "product", "service", "region", "department", "team", "host", "method", "category", "branch", "depot"]
MORE = ["date", "time", "timestamp", "email", "ip", "id", "note", "level", "code", "version", "currency", "phone"]
HUMAN = set(PERSONS) - {"account"}
COMMON = {"user", "order", "amount", "status"}
LARGE = ["largest", "largest", "highest", "biggest", "smallest", "lowest"]


def plural(noun):
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


class Sheet:
    """Documents as far as questions speak of them: what the fields are called, and values of each."""

    def __init__(self, s):
        self.s = s
        self.P, self.K, self.M, self.S, self.C = (self.name(names) for names in (PERSONS, KEYS, MEASURES, STATES, OTHERS))
        fields = [self.P, self.K, self.M, self.S] + ([self.C] if s.chance(0.6) else [])
        self.has_other = self.C in fields
        while s.chance(0.4):
            extra = s.pick(MORE)
            if extra not in fields:
                fields.append(extra)
        s.r.shuffle(fields)
        self.fields = fields
        # A document repeats its values, and so do questions.
        self.states = [s.status() for _ in range(4)]
        self.people = [s.user() for _ in range(3)]
        self.others = [draw("city", s) if self.C == "city" else s.word() if s.chance(0.5) else s.pseudo(1, 2) for _ in range(3)]

    def name(self, names):
        if self.s.chance(0.12):
            return self.s.pseudo(1, 3)
        for _ in range(30):
            name = self.s.pick(names)
            # What most documents have is no word to do without.
            if name in COMMON or reserved(name, 6) == (self.s.held_out and self.s.chance(0.5)):
                return name
        return name

    def fill(self, template, values=None):
        """A template with the names of fields and values. Returns the text; the same letter is the same value."""
        values = {} if values is None else values
        out, at = [], 0
        while at < len(template):
            if template[at] != "{":
                out.append(template[at])
                at += 1
                continue
            end = template.index("}", at)
            slot = template[at + 1 : end]
            at = end + 1
            if slot in ("P", "K", "M", "S", "C"):
                out.append(getattr(self, slot))
            elif slot in ("Ps", "Ks", "Ms", "Cs"):
                out.append(plural(getattr(self, slot[0])))
            else:
                if slot not in values:
                    values[slot] = self.value(slot, values)
                out.append(values[slot])
        return "".join(out)

    def value(self, slot, values):
        s = self.s
        if slot[0] == "v":
            return s.pick([v for v in self.states if v not in values.values()] or self.states)
        if slot[0] == "p":
            return s.pick([p for p in self.people if p not in values.values()] or self.people)
        if slot[0] == "k":
            return str(s.int(100, 99999)) if s.chance(0.8) else s.order()
        if slot[0] == "c":
            return s.pick(self.others)
        if slot[0] == "n":
            return s.pick([str(s.int(1, 900)), f"{s.int(1, 900)}.{s.int(0, 99):02d}"])
        if slot[0] == "L":
            return s.pick(LARGE)
        raise ValueError(slot)


# What is asked by itself: (kind of answer, template). A mark `~` keeps a template for evaluation.
COUNTS = ["how many {Ks} are {v}", "how many {v} {Ks} are there", "how many {Ks} were {v}", "how many {Ks} of {P} {p} are {v}",
          "how many {Ks} of {P} {p} are there", "what is the number of {v} {Ks}", "how many {v} {Ks} of {P} {p} are there",
          "~how many {Ks} have {S} {v}", "~how many {Ks} of {P} {p} have {S} {v}", "count the {v} {Ks}",
          "how many {Ks} have a {M} over {n}", "how many {Ks} are there with {M} over {n}", "~how many {v} {Ks} do we have",
          "how many {Ks} with {C} {c} are there", "how many {v} {Ks} with {C} {c} are there", "how many {Ks} are there with {S} {v}"]
LEADERS = ["which {P} has the most {v} {Ks}", "which {P} has the most {Ks}", "which {P} had the most {v} {Ks}",
           "which {P} placed the most {v} {Ks}", "which {P} has the largest number of {v} {Ks}",
           "~which {P} has the most {Ks} with {S} {v}", "which {P} made the most {v} {Ks}", "which {P} has the {L} {M}",
           "~which {P} had the {L} {M}", "which {P} has the {L} {M} of {v} {Ks}", "which {P} placed {K} {k}", "which {P} has {K} {k}",
           "which {P} has the first {v} {K}", "which {P} has the last {v} {K}"]
TOPS = ["what is the first {v} {K}", "what is the last {v} {K}", "what is the first {K} of {P} {p}", "~what was the last {v} {K}",
        "what is the last {K} of {P} {p}", "which {K} has the {L} {M}", "~what was the first {v} {K}", "which {K} had the {L} {M}"]
FIGURES = ["what is the {L} {M} of {v} {Ks}", "what is the {L} {M}", "what is the {L} {M} of {P} {p}", "what is the total {M} of {v} {Ks}",
           "what is the average {M} of {v} {Ks}", "what is the total {M} of {P} {p}", "what is the average {M}", "what is the total {M}",
           "~what is the {L} {M} of {Ks} of {P} {p}", "what is the {M} of {K} {k}", "what is the {M} of the last {v} {K}",
           "~what was the {L} {M} of {v} {Ks}", "what is the average {M} of {Ks} of {P} {p}", "what is the {M} of the first {v} {K}"]
FACTS = ["what is the {S} of {K} {k}", "what is the {M} of {K} {k}", "what is the {C} of {K} {k}", "what is the {S} of the last {K} of {P} {p}",
         "~what {S} does {K} {k} have", "what was the {S} of {K} {k}", "what is the most common {S}", "which {C} has the most {v} {Ks}",
         "which {S} is the most common"]
LISTS = ["list the {v} {Ks}", "list the {Ks} of {P} {p}", "list the {Ps} of {v} {Ks}", "list all {v} {Ks}", "are there any {v} {Ks}",
         "~show all {v} {Ks} of {P} {p}", "is there any {v} {K}", "list all {Ks} of {P} {p}"]

# What is asked of somebody who was just found: as it is asked loosely, and plainly. Where both are the same it is copied.
OF_PERSON = [("how many {Ks} of that {P} are {v}",) * 2, ("how many of their {Ks} are {v}", "how many {Ks} of that {P} are {v}"),
             ("how many {v} {Ks} of that {P} are there",) * 2, ("how many {v} {Ks} do they have", "how many {v} {Ks} of that {P} are there"),
             ("how many {v} {Ks} do they have", "how many {v} {Ks} of that {P} are there"),
             ("how many of theirs are {v}", "how many {Ks} of that {P} are {v}"), ("how many {Ks} do they have", "how many {Ks} of that {P} are there"),
             ("how many {Ks} did they have", "how many {Ks} of that {P} are there"), ("how many of theirs were {v}", "how many {Ks} of that {P} were {v}"),
             ("~how many {Ks} of that {P} have {S} {v}",) * 2, ("~how many of them are {v}", "how many {Ks} of that {P} are {v}"),
             ("what is the {L} {M} of that {P}",) * 2, ("what is their {L} {M}", "what is the {L} {M} of that {P}"),
             ("what was their {L} {M}", "what was the {L} {M} of that {P}"), ("~what is the {L} {M} of {Ks} of that {P}",) * 2,
             ("what is their total {M}", "what is the total {M} of that {P}"), ("what is the total {M} of that {P}",) * 2,
             ("what is the average {M} of that {P}",) * 2, ("~what is their average {M}", "what is the average {M} of that {P}"),
             ("list the {Ks} of that {P}",) * 2, ("list their {Ks}", "list the {Ks} of that {P}"), ("list their {v} {Ks}", "list the {v} {Ks} of that {P}"),
             ("how many errors did the log show for that {P}",) * 2, ("how many errors did the log show for them", "how many errors did the log show for that {P}"),
             ("how many errors does the log show for them", "how many errors does the log show for that {P}")]
FIRST_OF_PERSON = [("what is the first {K} of that {P}",) * 2, ("what is the last {K} of that {P}",) * 2, ("what is their first {K}", "what is the first {K} of that {P}"),
                   ("what is their last {K}", "what is the last {K} of that {P}"), ("what is the last {v} {K} of that {P}",) * 2,
                   ("~what was their last {K}", "what was the last {K} of that {P}"), ("what is their first {v} {K}", "what is the first {v} {K} of that {P}"),
                   ("what was their first {K}", "what was the first {K} of that {P}")]
OF_KEY = [("what is the {S} of that {K}",) * 2, ("what is its {S}", "what is the {S} of that {K}"), ("what was its {S}", "what was the {S} of that {K}"),
          ("what is the {M} of that {K}",) * 2, ("what is its {M}", "what is the {M} of that {K}"), ("which {P} has that {K}",) * 2,
          ("who has it", "which {P} has that {K}"), ("which {P} has it", "which {P} has that {K}"), ("what is its {C}", "what is the {C} of that {K}"),
          ("~what was the {S} of that {K}",) * 2, ("~what was its {M}", "what was the {M} of that {K}"), ("what is the {C} of that {K}",) * 2]


def kept(template):
    """A template without its mark, and whether it is one for evaluation."""
    return (template[1:], True) if template.startswith("~") else (template, False)


def choose(s, templates, fits=lambda _: True):
    """One of the templates; those for evaluation are never drawn for training, and half of the time for evaluation."""
    want = s.held_out and s.chance(0.5)
    for _ in range(60):
        drawn = s.pick(templates)
        bare, mark = kept(drawn if isinstance(drawn, str) else drawn[0])
        if mark == want and fits(bare):
            return bare if isinstance(drawn, str) else (bare, kept(drawn[1])[0])
        want = want and s.chance(0.9)
    return choose(s, templates)


# What stands behind a noun, from the questions of the records model: with so few ways to ask, a small model learns those by heart
# and copies nothing. Evaluation asks in none of these, and 'with status', 'have status' are only in evaluation.
BEHIND = [p.split("|")[0] for p in STATUS_AFTER + USER_AFTER if "with status" not in p and "have status" not in p]
BEHIND += [p for phrases in GENERIC.values() for p in phrases]
HEADS = ["how many {Ks} ", "how many {Ks} are there ", "what is the number of {Ks} ", "which {P} has the most {Ks} ", "which {P} had the fewest {Ks} ",
         "what is the {L} {M} of {Ks} ", "what is the total {M} of {Ks} ", "what is the average {M} of the {Ks} ", "what is the first {K} ",
         "what was the last {K} ", "list the {Ks} ", "which {C} has the most {Ks} ", "what is the most common {S} of {Ks} "]
HEADS_OF_PERSON = ["how many {Ks} of that {P} ", "how many of the {Ks} of that {P} ", "what is the {L} {M} of {Ks} of that {P} ",
                   "what is the total {M} of {Ks} of that {P} ", "list the {Ks} of that {P} "]


def wordy(sheet, heads):
    """A part with one of many phrases behind its noun; for training only."""
    s = sheet.s
    phrase = s.pick(BEHIND).replace("{f}", s.pick([sheet.S, sheet.M, sheet.C, s.pick(MORE)]))
    values = sheet.states + sheet.people + sheet.others + [str(s.int(1, 900))]
    return sheet.fill(s.pick(heads), {}) + phrase.replace("{v}", s.pick(values))


def noisy(s, text, from_word=3):
    """A word or two that nobody expects, somewhere in the text: it must be read, not guessed. For training only."""
    words = text.split(" ")
    for _ in range(s.int(1, 2)):
        x = s.r.random()
        word = s.pseudo(1, 3) if x < 0.4 else s.pick(FILLER) if x < 0.8 else s.number()
        words.insert(s.int(min(from_word, len(words)), len(words)), word)
    return " ".join(words)

"""`split`: a compound question, put so that code does not read it, and its parts as JSON.

    split user, order, amount, status
    Whoever has the most failed orders, how many errors did the log show for them?

    [["which user has the most failed orders",0],["how many errors did the log show for that user",1]]

The number is that of the part that one waits for, 0 for none. A part keeps the question's words wherever it can: what
changes are the words that join parts, and those that speak of an earlier answer.
"""

import json

from brain_parts import (COUNTS, FACTS, FIGURES, FIRST_OF_PERSON, HEADS, HEADS_OF_PERSON, HUMAN, LARGE, LEADERS, LISTS, OF_KEY, OF_PERSON, TOPS,
                         Sheet, choose, noisy, wordy)

# Before a question. None of them asks anything. `~` marks what only evaluation draws.
OPENINGS = ["I have a few questions about these {Ks}.", "I need some figures for my report.", "We meet at {t} and I still lack some numbers.",
            "My boss wants to know a few things.", "Something looks odd in this file.", "I am going through last month's {Ks}.",
            "Please help me with the following.", "I am new here.", "Here is what I would need.", "Let me ask you this.",
            "For the {w} review I need an answer to these.", "I was asked about the {Ks} yesterday.", "I am writing to {p} about this.",
            "Hello!", "Good morning.", "This is for the {w} team.", "I could not find it myself.", "We had a complaint about a {K}.",
            "I want to check what {p} told me.", "There was a {w} last week.", "Just to be sure:", "Two or three things:", "Quick check:",
            "I am looking at the {Ks} of this week, and I have some questions.", "Our {w} is being audited.", "I promised {p} an answer.",
            "It is about the {w}.", "I wonder about these {Ks}.", "Thanks for looking into this.", "I have to close the books today.",
            "You may remember our talk about {w}.", "We are planning the next {w} and want to be prepared.", "Nobody here knows.",
            "I only have a minute.", "The {w} has to be ready by noon, so be exact.", "Before I call the {P} back:",
            "~I must explain this to my colleagues tomorrow.", "~Could you look at the {Ks} for me?", "~There is one more matter to settle.",
            "~The auditors ask me about the past year.", "~A customer is on the phone right now.", "~I would like to understand what happened."]
CLOSINGS = ["Thanks!", "Thank you.", "Please be exact.", "That is all.", "I need it for {p}.", "Please hurry.", "It is for the {w}.",
            "Many thanks in advance.", "Then we can close the {w}.", "~That would help me a lot.", "~Nothing more for today."]
LEADS = ["I want to know ", "I would like to know ", "Tell me ", "Please tell me ", "Can you tell me ", "Could you tell me ", "Please find out ",
         "I need to know ", "Let me know ", "We would like to learn ", "Say ", "Find out ", "Do you know ", "Please say ", "~I wonder ",
         "~Would you tell me ", "~Help me find out "]
JOINTS = [", and ", " and ", ", ", "? And ", "? ", ". Then, ", "; ", ", and also ", ", and then ", " as well as ", ", plus ", " and then ", "? Also, ",
          ", and finally ", ", and besides ", ". Also tell me ", ", and tell me ", "? Next, ", " along with ", ", and after that ", ". After that, ",
          "~, and in addition ", "~ together with ", "~? Furthermore, ", "~, and moreover "]
LAST_JOINTS = [", and ", " and ", ", and also ", "? And ", ", and finally ", "? Finally, ", ". Last, ", ", plus ", " as well as ", "~. Lastly, ", "~, and at last "]
NOISE = 0.25  # share of training parts with a word that nobody expects; less at the end
TOPICS = "shop warehouse office budget meeting winter summer sales support delivery returns marketing finance outage launch survey fair".split()


def small(text):
    return text[:1].lower() + text[1:]


def large(text):
    return text[:1].upper() + text[1:]


def plain(sheet, kinds, values):
    s = sheet.s
    text = sheet.fill(choose(s, s.pick(kinds), lambda t: sheet.has_other or "{C}" not in t), values)
    if not s.held_out and s.chance(0.4):
        text = wordy(sheet, HEADS)
    return noisy(s, text) if not s.held_out and s.chance(NOISE) else text


def followers(sheet, table, count, values):
    """(asked, plain) of somebody or something that was found before; no two the same."""
    found = []
    for _ in range(20 if count > 0 else 0):
        asked, said = choose(sheet.s, table, lambda t: sheet.has_other or "{C}" not in t)
        pair = (sheet.fill(asked, values), sheet.fill(said, values))
        if not sheet.s.held_out:
            if table is not OF_KEY and sheet.s.chance(0.25):
                text = wordy(sheet, HEADS_OF_PERSON)
                pair = (text, text)
            if sheet.s.chance(NOISE):
                if pair[0] == pair[1]:
                    pair = (noisy(sheet.s, pair[0]),) * 2
                else:
                    words = " " + noisy(sheet.s, "", 0).strip()
                    pair = (pair[0] + words, pair[1] + words)
        # A status that two parts name is drawn again now and then.
        if sheet.s.chance(0.7):
            for slot in ("v", "L"):
                values.pop(slot, None)
        if all(pair[1] != other for _, other in found):
            found.append(pair)
        if len(found) >= count:
            break
    return found


def chain(sheet, count):
    """A leader whom the others speak of, and perhaps a thing of theirs: [(asked, plain, needs)]."""
    s, values = sheet.s, {}
    first = sheet.fill(choose(s, LEADERS), {})
    if not s.held_out and s.chance(0.3):
        first = wordy(sheet, ["which {P} has the most {Ks} ", "which {P} had the most {Ks} ", "which {P} has the {L} {M} of {Ks} ", "which {P} placed the first {K} "])
    if not s.held_out and s.chance(NOISE):
        first = noisy(s, first)
    parts = [[first, first, 0]]
    if sheet.P in HUMAN and s.chance(0.25) and first.startswith(f"which {sheet.P} "):
        parts[0][0] = "who " + first[len(f"which {sheet.P} ") :]
    if count > 2 and s.chance(0.35):
        asked, said = followers(sheet, FIRST_OF_PERSON, 1, values)[0]
        parts.append([asked, said, 1])
        for asked, said in followers(sheet, OF_KEY, min(count - 2, 2), values):
            parts.append([asked, said, 2])
    for asked, said in followers(sheet, OF_PERSON if s.chance(0.75) else OF_PERSON + FIRST_OF_PERSON, count - len(parts), values):
        parts.append([asked, said, 1])
    return parts


def thing(sheet, count):
    """A thing that is found, and what is asked of it."""
    first = sheet.fill(choose(sheet.s, TOPS), {})
    return [[first, first, 0]] + [[asked, said, 1] for asked, said in followers(sheet, OF_KEY, min(count - 1, 2), {})]


def apart(sheet, count):
    """Parts that do not speak of each other."""
    parts = []
    while len(parts) < count:
        text = plain(sheet, [COUNTS, COUNTS, LEADERS, FIGURES, FIGURES, FACTS, LISTS, TOPS], {})
        if all(text != other for _, other, _ in parts):
            parts.append([text, text, 0])
    return parts


def mixed(sheet, count):
    """A chain, and parts beside it."""
    parts = chain(sheet, count - 1)
    text = plain(sheet, [COUNTS, FIGURES, FACTS], {})
    parts.append([text, text, 0])
    return parts


# How someone is spoken of who is found on the way: (head, what the plain question begins with); {x} is what makes them that.
LEADERS = ["whoever {x}, ", "for whoever {x}, ", "take whoever {x}: ", "of whoever {x}, ", "look for whoever {x}: ", "~as for whoever {x}, "]
WHICHEVER = ["for whichever {P} {x}, ", "whichever {P} {x}, ", "for the {P} who {x}, ", "take the {P} that {x}: ", "find the {P} who {x}: ",
             "for the {P} that {x}, ", "look at the {P} that {x}: ", "~as to whichever {P} {x}, "]
WITH = ["for the {P} with {x}, ", "take the {P} with {x}: ", "find the {P} with {x}, ", "look at the {P} with {x}: ", "~of the {P} with {x}, "]


def led(sheet, count):
    """'Whoever has the most failed orders, how many …': the leader is not asked for in words of its own."""
    s = sheet.s
    parts = chain(sheet, count)
    said = parts[0][1]
    rest = said[len(f"which {sheet.P} ") :]
    if rest.startswith("has ") and s.chance(0.35):
        head, x = choose(s, WITH), rest[4:]
    elif sheet.P in HUMAN and s.chance(0.55):
        head, x = choose(s, LEADERS), rest
    else:
        head, x = choose(s, WHICHEVER), rest
    return sheet.fill(head.replace("{x}", "\0"), {}).replace("\0", x), parts


def fact_list(sheet):
    """'For order 4001, what are the status and the amount?'"""
    s = sheet.s
    names = [n for n in [sheet.S, sheet.M, sheet.P] + ([sheet.C] if sheet.has_other else [])]
    s.r.shuffle(names)
    names = names[: s.int(2, min(3, len(names)))]
    what = sheet.fill("{K} {k}", {})
    the = s.chance(0.7)
    listed = [("the " if the else "") + n for n in names]
    joined = listed[0] + " and " + listed[1] if len(listed) == 2 else ", ".join(listed[:-1]) + " and " + listed[-1]
    if not the:
        joined = "the " + joined
    text = s.pick(["what are {j} of {w}", "for {w}, what are {j}", "{j} of {w}", "give me {j} of {w}", "what is {j} of {w}", "~{w}: {j}"][: 6 if s.held_out else 5])
    return text.lstrip("~").replace("{j}", joined).replace("{w}", what), [[None, f"what is the {n} of {what}", 0] for n in names]


def figures(sheet):
    """'What are the smallest and the largest amount of paid orders?'"""
    s = sheet.s
    kinds = s.pick([[s.pick(LARGE[:4]), s.pick(LARGE[4:])], ["total", "average"], ["average", s.pick(LARGE)], [s.pick(LARGE), "total"]])
    if s.chance(0.5):
        kinds.reverse()
    of = sheet.fill(s.pick(["", " of {v} {Ks}", " of {v} {Ks}", " of {P} {p}"]), {})
    noun = sheet.M
    form = s.pick(["what are the {a} and the {b} {m}{of}", "what are the {a} and {b} {m}{of}", "what is the {a} and what the {b} {m}{of}",
                   "the {a} and the {b} {m}{of}", "give me the {a} and the {b} {m}{of}", "how high are the {a} and the {b} {m}{of}"])
    text = form.replace("{a}", kinds[0]).replace("{b}", kinds[1]).replace("{m}", noun).replace("{of}", of)
    return text, [[None, f"what is the {k} {noun}{of}", 0] for k in kinds]


def counts(sheet):
    """'How many failed and how many shipped orders are there?', and comparisons of two counts."""
    s = sheet.s
    v, w = s.r.sample(sheet.states, 2)
    x = s.r.random()
    Ks, P = sheet.fill("{Ks}"), sheet.P
    if x < 0.4:
        text = s.pick([f"how many {v} and how many {w} {Ks} are there", f"how many {Ks} are {v} and how many {w}", f"how many {Ks} are {v}, and how many are {w}",
                       f"are there more {v} or more {w} {Ks}", f"are there more {v} {Ks} than {w} ones", f"compare the number of {v} {Ks} with that of {w} ones"])
        if text.startswith(f"how many {Ks}"):
            return text, [[None, f"how many {Ks} are {v}", 0], [None, f"how many {Ks} are {w}", 0]]
        return text, [[None, f"how many {v} {Ks} are there", 0], [None, f"how many {w} {Ks} are there", 0]]
    p, q = s.r.sample(sheet.people, 2)
    if x < 0.75:
        text = s.pick([f"who has more {v} {Ks}, {P} {p} or {P} {q}", f"does {P} {p} or {P} {q} have more {v} {Ks}", f"did {P} {p} or {P} {q} have more {v} {Ks}",
                       f"which of {P} {p} and {P} {q} has more {v} {Ks}", f"compare the number of {v} {Ks} of {P} {p} and {P} {q}"])
        return text, [[None, f"how many {v} {Ks} of {P} {u} are there", 0] for u in (p, q)]
    kind = s.pick(["total", "average"] + LARGE)
    text = s.pick([f"compare the {kind} {sheet.M} of {P} {p} with that of {P} {q}", f"what is the {kind} {sheet.M} of {P} {p} and of {P} {q}",
                   f"is the {kind} {sheet.M} of {P} {p} or that of {P} {q} higher"])
    return text, [[None, f"what is the {kind} {sheet.M} of {P} {u}", 0] for u in (p, q)]


def join(s, texts):
    joint = s.pick([None, choose(s, JOINTS), choose(s, JOINTS)])
    out = texts[0]
    for number, text in enumerate(texts[1:], 2):
        between = choose(s, LAST_JOINTS) if number == len(texts) and s.chance(0.6) else joint or choose(s, JOINTS)
        # Behind the end of a sentence a word of its own opens the next.
        out += between + (large(text) if between.endswith("? ") else text)
    return out


def dressed(sheet, text, bare=False):
    """With what people write around a question."""
    s = sheet.s

    def said(table):
        template = choose(s, table)
        for slot, value in (("{t}", f"{s.int(8, 18)}:{s.pick(['00', '30'])}"), ("{w}", s.pick(TOPICS) if s.chance(0.7) else s.pseudo(1, 3))):
            template = template.replace(slot, value)
        return sheet.fill(template, {})

    asks = text.split(" ")[0].lower() in ("how", "what", "which", "who", "list", "count")
    if asks and s.chance(0.22):
        text = choose(s, LEADS) + text
    elif asks and s.chance(0.08):
        text = s.pick(["First, ", "To begin with, ", "First of all, ", "Well, ", "So ", "Please: "]) + text
    elif s.chance(0.9):
        text = large(text)
    x = s.r.random()
    text += "?" if x < 0.8 else "." if x < 0.9 else ""
    if not bare and s.chance(0.62):
        opening = said(OPENINGS)
        text = opening + " " + (small(text) if opening.endswith(":") and s.chance(0.7) else text)
        if s.chance(0.12):
            text = said(OPENINGS) + " " + text
    if s.chance(0.12):
        text += " " + said(CLOSINGS)
    return text


def split_example(s):
    """(prompt, answer, style)."""
    sheet = Sheet(s)
    count = s.pick([2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7] if not s.held_out else [2, 2, 3, 3, 4, 5])
    x = s.r.random()
    if x < 0.22:
        style, parts = "apart", apart(sheet, count)
        text = join(s, [p[0] for p in parts])
    elif x < 0.42:
        style, parts = "chain", chain(sheet, count)
        text = join(s, [p[0] for p in parts])
    elif x < 0.50:
        style, parts = "thing", thing(sheet, count)
        text = join(s, [p[0] for p in parts])
    elif x < 0.58 and count > 2:
        style, parts = "mixed", mixed(sheet, count)
        text = join(s, [p[0] for p in parts])
    elif x < 0.78:
        style = "led"
        head, parts = led(sheet, count)
        text = head + join(s, [p[0] for p in parts[1:]])
    else:
        style, make = s.pick([("facts", fact_list), ("figures", figures), ("counts", counts), ("counts", counts)])
        text, parts = make(sheet)
        if s.chance(0.3):
            more = apart(sheet, 1)
            if s.chance(0.5):
                text, parts = join(s, [more[0][0], text]), more + parts
            else:
                text, parts = join(s, [text, more[0][0]]), parts + more
    answer = json.dumps([[p[1], p[2]] for p in parts], ensure_ascii=False, separators=(",", ":"))
    return f"split {', '.join(sheet.fields)}\n{dressed(sheet, text)}", answer, style


if __name__ == "__main__":
    import sys

    from words import Source

    s = Source(int(sys.argv[1]) if len(sys.argv) > 1 else 1, held_out=len(sys.argv) > 2)
    for _ in range(25):
        print(*split_example(s), sep="\n", end="\n\n")

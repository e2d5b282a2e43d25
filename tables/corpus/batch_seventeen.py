"""The seventeenth batch: 12 files and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv, json, os, random, statistics
from collections import Counter, defaultdict
from datetime import datetime, timedelta, date
from decimal import Decimal, ROUND_HALF_UP

from common import FILES, Author

AUTHOR = Author("seventeen", 17)
F = FILES / "seventeen"


def num(x):
    """at most two decimals, no trailing zeros"""
    d = Decimal(str(x)) if not isinstance(x, Decimal) else x
    r = d.quantize(Decimal("0.01"), ROUND_HALF_UP)
    # a value that sits on a rounding edge would be a bad expectation
    edge = abs((d * 1000) % 10 - 5)
    if edge < Decimal("0.0001") and d != r:
        raise SystemExit(f"rounding edge {x}")
    s = format(r, "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


def avg(v):
    v = [Decimal(str(x)) for x in v]
    return sum(v) / len(v)


def top(counter, n=1):
    """the n largest, in order; ties at or above the edge are refused"""
    o = sorted(counter.items(), key=lambda kv: -kv[1])
    for i in range(min(n, len(o) - 1)):
        assert o[i][1] != o[i + 1][1], ("tie", o[: n + 1])
    return [k for k, _ in o[:n]]


def only(seq, key, biggest=True):
    o = sorted(seq, key=key, reverse=biggest)
    assert key(o[0]) != key(o[1]), "tie"
    return o[0]


def rows(xs):
    return [[str(x)] for x in xs]


def groups(d):
    return [[str(k), num(v)] for k, v in d.items()]


def one(x):
    return [[num(x)]]


def put(name, text, enc="utf-8"):
    with open(os.path.join(F, name), "w", encoding=enc, newline="") as f:
        f.write(text)


def csvtext(head, recs, delim=","):
    import io
    b = io.StringIO()
    w = csv.writer(b, delimiter=delim, lineterminator="\n")
    w.writerow(head)
    w.writerows(recs)
    return b.getvalue()


def add(name, qs):
    AUTHOR.ask(name, qs)


def de(x, cent=True):
    s = f"{Decimal(str(x)):,.2f}"
    return s.replace(",", "_").replace(".", ",").replace("_", ".")


# ---------------------------------------------------------------- 1 bakery
def bakery():
    r = random.Random(1701)
    price = {"Roggenbrot": "4.80", "Dinkelbrötchen": "0.95", "Laugenbrezel": "1.10", "Apfelkuchen": "24.50",
             "Butterhörnchen": "1.60", "Bienenstich": "28.00", "Hochzeitstorte": "385.00"}
    cust = ["Hotel Linde", "Café Morgenrot", "Kita Sonnenschein", "Müller, Petra", "TSV Altdorf", "Weiß & Söhne",
            "Gasthaus Krone", "Schröder, Jörg", "Pfarramt St. Georg"]
    wt = [9, 7, 6, 2, 4, 3, 6, 2, 2]
    recs = []
    day = date(2025, 4, 1)
    n = 5210
    while day <= date(2025, 4, 30):
        for _ in range(r.choice([3, 4, 5, 6]) if day.weekday() != 6 else 0):
            k = r.choices(cust, wt)[0]
            a = r.choices(list(price), [6, 7, 7, 3, 5, 2, 0.5])[0]
            m = {"Roggenbrot": r.randint(2, 30), "Dinkelbrötchen": r.randint(10, 160), "Laugenbrezel": r.randint(10, 200),
                 "Apfelkuchen": r.randint(1, 6), "Butterhörnchen": r.randint(6, 80), "Bienenstich": r.randint(1, 4),
                 "Hochzeitstorte": r.choice([1, 1, 3])}[a]
            n += 1
            pay = r.choices(["bar", "Karte", "Rechnung", ""], [4, 5, 6, 1])[0]
            recs.append(dict(nr=f"B-{n}", d=day, k=k, a=a, m=m, p=Decimal(price[a]), b=m * Decimal(price[a]), pay=pay))
        day += timedelta(1)
    out = []
    for x in recs:
        b = de(x["b"]) + r.choice([" €", " €", ""])
        out.append([x["nr"], x["d"].strftime("%d.%m.%Y"), x["k"], x["a"], x["m"], de(x["p"]), b, x["pay"]])
    put("bestellungen_april.csv", "\ufeff" + csvtext(["Bestellnr", "Datum", "Kunde", "Artikel", "Menge", "Einzelpreis", "Betrag", "Zahlungsart"], out, ";"))
    byk = defaultdict(Decimal); bya = defaultdict(Decimal)
    for x in recs:
        byk[x["k"]] += x["b"]; bya[x["a"]] += x["b"]
    add("bestellungen_april.csv", [
        ("umsatz-gesamt", "Wie hoch ist der Umsatz insgesamt?", one(sum(x["b"] for x in recs))),
        ("bester-kunde", "Welcher Kunde hat uns im April am meisten Umsatz gebracht?", rows(top(byk))),
        ("umsatz-je-artikel", "Bitte den Umsatz je Artikel.", groups(bya)),
        ("ohne-zahlungsart", "Bei welchen Bestellnummern fehlt die Zahlungsart?", rows(x["nr"] for x in recs if not x["pay"])),
        ("brezeln-mitte-april", "Wie viele Laugenbrezeln (Stück) gingen vom 10. bis einschließlich 16. April raus?",
         one(sum(x["m"] for x in recs if x["a"] == "Laugenbrezel" and date(2025, 4, 10) <= x["d"] <= date(2025, 4, 16)))),
        ("mehl-verbrauch", "Wie viel Kilo Mehl haben wir dafür verbraucht?", None),
    ])


# ---------------------------------------------------------------- 2 vet
def vet():
    r = random.Random(1702)
    animals = []
    names = "Biscuit Milo Luna Pepper Nala Otis Juno Rusty Clover Hazel Figaro Mochi Ziggy Willow Bruno Tilly Smudge Poppy Thumper Oreo Gus Daisy Pickle Rex Maple".split()
    owners = ["Okafor, Ngozi", "Reyes, Daniel", "Whitaker, Joan", "Lindgren, Per", "Chaudhry, Amina", "O'Neill, Sean", "Park, Ji-woo",
              "Bauer, Heidi", "Santos, Bea", "Kowalski, Jan", "Nguyen, Linh", "Foster, Marcus"]
    sp = ["dog"] * 9 + ["cat"] * 8 + ["rabbit"] * 4 + ["guinea pig"] * 2 + ["parrot"] * 2
    base = {"dog": (8, 41), "cat": (3, 6.5), "rabbit": (1.2, 2.8), "guinea pig": (0.7, 1.1), "parrot": (0.35, 0.5)}
    for nme, s in zip(names, sp):
        animals.append((nme, s, r.choice(owners), r.uniform(*base[s])))
    recs = []
    days = [date(2024, 1, 8) + timedelta(i) for i in range(110)]
    days = [d for d in days if d.weekday() < 6]
    for i in range(132):
        a = r.choice(animals)
        w = round(a[3] * r.uniform(0.96, 1.04), 2 if a[3] < 2 else 1)
        reason = r.choice(["vaccination", "check-up", "limping", "dental, cleaning", "itching, ears", "surgery", "not eating"])
        fee = {"vaccination": r.randint(45, 70), "check-up": r.randint(50, 90), "limping": r.randint(80, 240), "dental, cleaning": r.randint(180, 420),
               "itching, ears": r.randint(60, 130), "surgery": r.randint(480, 1900), "not eating": r.randint(70, 260)}[reason]
        fee = Decimal(fee) + r.choice([Decimal("0"), Decimal("0.5"), Decimal("0.25")])
        recs.append(dict(d=r.choice(days), a=a[0], s=a[1], o=a[2], reason=reason, vet=r.choices(["Dr. Hale", "Dr. Lindqvist", "Dr. Osei"], [5, 4, 3])[0],
                         w=None if r.random() < .1 else w, fee=None if r.random() < .05 else fee))
    recs.sort(key=lambda x: x["d"])
    out = []
    for i, x in enumerate(recs):
        x["id"] = f"V{1001 + i}"
        d = x["d"]
        ds = d.isoformat() if r.random() < .7 else f"{d.day} {d.strftime('%b %Y')}"
        if x["w"] is None:
            ws = r.choice(["", "n/a", ""])
        elif x["w"] < 2:
            ws = f"{round(x['w'] * 1000)} g"
        else:
            ws = f"{x['w']} kg"
        s = r.choices([x["s"], x["s"].capitalize()], [5, 1])[0]
        out.append([x["id"], ds, x["a"], s, x["o"], x["reason"], x["vet"], ws, "" if x["fee"] is None else f"${x['fee']:,.2f}"])
    put("vet_visits.csv", csvtext(["visit", "date", "animal", "species", "owner", "reason", "seen by", "weight", "fee"], out))
    big = [x for x in recs if x["fee"] is not None and x["fee"] > 1000]
    big.sort(key=lambda x: -x["fee"])
    assert len({x["fee"] for x in big}) == len(big)
    byv = defaultdict(list)
    for x in recs:
        if x["fee"] is not None: byv[x["vet"]].append(x["fee"])
    heavy = only([x for x in recs if x["w"]], lambda x: x["w"])
    add("vet_visits.csv", [
        ("dog-visits-march", "how many dog visits did we have in march 2024", one(sum(x["s"] == "dog" and x["d"].month == 3 for x in recs))),
        ("cats-billed", "What did we bill for cats in total?", one(sum(x["fee"] for x in recs if x["s"] == "cat" and x["fee"] is not None))),
        ("heaviest", "Which animal was the heaviest on the scale?", rows([heavy["a"]])),
        ("avg-fee-per-vet", "average fee for each of the vets please", groups({k: avg(v) for k, v in byv.items()})),
        ("no-weight", "For how many visits did nobody note the weight?", one(sum(x["w"] is None for x in recs))),
        ("rabbit-names", "what are the names of the rabbits that came in (each just once)", rows(dict.fromkeys(x["a"] for x in recs if x["s"] == "rabbit"))),
        ("over-1000", "Give me the visit numbers of everything we charged more than $1,000 for, dearest first.", rows(x["id"] for x in big)),
    ])


# ---------------------------------------------------------------- 3 choir
def choir():
    r = random.Random(1703)
    names = ["Ada Brandt", "Beatrix Moll", "Carla Neumeier", "Dorothy Lake", "Edith Sommer", "Fiona Grant", "Gerda Pohl", "Hanna Ivers", "Irene Costa", "Judith Ames",
             "Kate Ferris", "Lotte Winkler", "Mabel Stone", "Nora Quinn", "Olga Petrova", "Paula Reis", "Rosa Klein", "Susan Bright", "Theo Marsh", "Ulrich Kern",
             "Victor Hahn", "Walter Ode", "Xaver Bichler", "Yann Le Goff", "Arthur Pym", "Bernd Sauer", "Colin Webb", "Dieter Funk", "Emil Roth", "Frank Tully", "Georg Zander", "Harold Dean"]
    voices = ["Soprano"] * 10 + ["Alto"] * 9 + ["Tenor"] * 6 + ["Bass"] * 7
    recs = []
    for nme, v in zip(names, voices):
        att = r.randint(9, 22)
        recs.append(dict(n=nme, v=v, y=r.choice([2004, 2008, 2011, 2014, 2016, 2017, 2018, 2019, 2021, 2022, 2023, 2024]), att=att, miss=22 - att,
                         fee=r.choices([120, 60, 90, None], [6, 2, 1, 2])[0]))
    recs[13]["y"] = 1996
    r.shuffle(recs)
    lines = ["# Kirchspiel Singers – season 2024/25", "", "22 rehearsals so far. A dash under *Fee paid* means nothing received yet.", "",
             "| Name | Voice | Member since | Attended | Missed | Fee paid |", "|:-----|:------|-------------:|---------:|-------:|---------:|"]
    for x in recs:
        fee = "—" if x["fee"] is None else r.choice([f"€{x['fee']}", f"€{x['fee']}", f"{x['fee']} €", f"€{x['fee']}.00"])
        ys = str(x["y"]) if r.random() < .75 else f"{r.choice(['Jan', 'Sept', 'Oct'])} {x['y']}"
        lines.append(f"| {x['n']} | {x['v']} | {ys} | {x['att']} | {x['miss']} | {fee} |")
    put("choir_members.md", "\n".join(lines) + "\n")
    bv = defaultdict(list)
    for x in recs: bv[x["v"]].append(x["att"])
    add("choir_members.md", [
        ("not-paid", "Who has paid nothing so far?", rows(x["n"] for x in recs if x["fee"] is None)),
        ("fees-sum", "How much have we collected in fees altogether?", one(sum(x["fee"] or 0 for x in recs))),
        ("att-per-voice", "Average number of rehearsals attended, by voice", groups({k: avg(v) for k, v in bv.items()})),
        ("missed-more-10", "who missed more than ten rehearsals?", rows(x["n"] for x in recs if x["miss"] > 10)),
        ("longest-member", "Who has been singing with us the longest?", rows([only(recs, lambda x: x["y"], False)["n"]])),
        ("bass-nach-2020", "Wer singt Bass und ist erst nach 2020 dazugekommen?", rows(x["n"] for x in recs if x["v"] == "Bass" and x["y"] > 2020)),
    ])


# ---------------------------------------------------------------- 4 solar
def solar():
    import math
    r = random.Random(1704)
    recs = []
    for d in (14, 15, 16):
        for k in range(33):
            t = datetime(2024, 6, d, 5, 0) + timedelta(minutes=30 * k)
            h = t.hour + t.minute / 60
            for inv, cap in (("A", 6200), ("B", 4800)):
                w = max(0, math.sin(math.pi * (h - 5) / 16)) ** 1.3 * cap * {14: .97, 15: .6, 16: .9}[d] * r.uniform(.82, 1.03)
                st = r.choices(["OK", "DERATED", "FAULT"], [40, 3, 1.4])[0]
                if st == "FAULT": w = 0
                w = int(round(w / 10) * 10)
                recs.append(dict(t=t, i=inv, w=None if r.random() < .04 else w, c=None if r.random() < .03 else round(16 + 38 * math.sin(math.pi * max(0, h - 5) / 17) * {14: 1, 15: .75, 16: .93}[d] + r.uniform(-2, 2), 1), s=st))
    out = []
    for x in recs:
        if x["w"] is None: ws = ""
        elif x["w"] >= 1000: ws = f"{x['w'] / 1000:.2f} kW"
        else: ws = f"{x['w']} W"
        out.append([x["t"].strftime("%Y-%m-%d %H:%M"), x["i"], ws, "NaN" if x["c"] is None else x["c"], x["s"]])
    put("solar_readings.csv", csvtext(["time", "inverter", "power", "module_temp_C", "state"], out))
    pk = only([x for x in recs if x["i"] == "A" and x["w"] is not None], lambda x: x["w"])
    midday = [x["w"] for x in recs if x["i"] == "B" and x["w"] is not None and x["t"].day == 15 and 600 <= x["t"].hour * 60 + x["t"].minute <= 840]
    fl = Counter(x["i"] for x in recs if x["s"] == "FAULT")
    assert len(fl) == 2
    temps = [x["c"] for x in recs if x["c"] is not None]
    ts = lambda x: x["t"].strftime("%Y-%m-%d %H:%M")
    bd = defaultdict(list)
    for x in recs:
        if x["c"] is not None: bd[x["t"].strftime("%Y-%m-%d")].append(x["c"])
    add("solar_readings.csv", [
        ("peak-a", "When did inverter A reach its highest output?", rows([ts(pk)])),
        ("avg-b-midday", "Average power of inverter B on 15 June from 10:00 to 14:00 (both included), in kW", one(avg(midday) / 1000)),
        ("missing-power", "how many readings have no power value?", one(sum(x["w"] is None for x in recs))),
        ("faults-per-inverter", "How often did each inverter report a fault?", groups(fl)),
        ("derated-16", "At which times was anything derated on 16 June?", rows(dict.fromkeys(ts(x) for x in recs if x["s"] == "DERATED" and x["t"].day == 16))),
        ("temp-je-tag", "Mittlere Modultemperatur pro Tag?", groups({k: avg(v) for k, v in bd.items()})),
        ("earned", "How much did we earn from feeding into the grid on these days?", None),
    ])


# ---------------------------------------------------------------- 5 parcels
def parcels():
    r = random.Random(1705)
    recs = []
    t = datetime(2025, 2, 3, 6, 10)
    cities = ["York", "Hull", "Bradford", "Sheffield", "Wakefield", "Ripon", "Whitby"]
    for i in range(164):
        t += timedelta(minutes=r.randint(3, 95), seconds=r.randint(0, 59))
        if t.hour >= 20: t = (t + timedelta(days=1)).replace(hour=6, minute=r.randint(0, 50))
        st = r.choices(["delivered", "in transit", "returned", "lost"], [70, 14, 9, 2])[0]
        recs.append(dict(id=f"PX-{40312 + 7 * i}", t=t, depot=r.choices(["Leeds", "Doncaster", "Harrogate"], [5, 3, 2])[0], w=None if r.random() < .06 else round(r.uniform(.2, 24), 1),
                         svc=r.choices(["next-day", "economy", "48h"], [4, 5, 3])[0], st=st, att=r.choices([1, 2, 3, 4], [60, 14, 5, 2])[0] if st in ("delivered", "returned") else (0 if st == "in transit" else 1),
                         city=r.choices(cities, [10, 8, 7, 9, 4, 2, 1])[0], note=r.choice(["", "", "", "left with neighbour", "fragile, glass", "signature required", "gate code 4471"])))
    L = []
    for x in recs:
        o = {"id": x["id"], "scanned": x["t"].strftime("%Y-%m-%dT%H:%M:%SZ"), "depot": x["depot"], "service": x["svc"], "status": x["st"], "attempts": x["att"], "weight_kg": x["w"],
             "to": {"city": x["city"], "postcode": f"{x['city'][:2].upper()}{r.randint(1, 20)} {r.randint(1, 9)}{r.choice('ABDEF')}{r.choice('GHJLN')}"}}
        if x["note"]: o["note"] = x["note"]
        L.append(json.dumps(o, ensure_ascii=False))
    put("parcels.jsonl", "\n".join(L) + "\n")
    day = Counter(x["t"].strftime("%Y-%m-%d") for x in recs)
    av = {s: avg([x["w"] for x in recs if x["svc"] == s and x["w"] is not None]) for s in ("next-day", "economy")}
    add("parcels.jsonl", [
        ("leeds-kg", "total weight in kg that went through the Leeds depot", one(sum(Decimal(str(x["w"])) for x in recs if x["depot"] == "Leeds" and x["w"] is not None))),
        ("delivered-pct", "What percentage of all the parcels has been delivered?", one(Decimal(100 * sum(x["st"] == "delivered" for x in recs)) / len(recs))),
        ("top3-cities", "Which three cities get the most parcels?", rows(top(Counter(x["city"] for x in recs), 3))),
        ("three-tries", "Ids of parcels that took three or more delivery attempts", rows(x["id"] for x in recs if x["att"] >= 3)),
        ("avg-weight-two", "Is next-day heavier than economy? Show the average weight for those two services.", groups(av)),
        ("hull-in-transit", "how many of the parcels for Hull are still in transit?", one(sum(x["city"] == "Hull" and x["st"] == "in transit" for x in recs))),
    ])
    return day


# ---------------------------------------------------------------- 6 helpdesk
def helpdesk():
    r = random.Random(1706)
    dep = ["Finance", "Sales", "Warehouse", "HR", "Legal"]
    subs = {"Hardware": ["Printer offline, 3rd floor", "printer jams again", "Laptop won't charge", "Monitor flickers", "Need a new PRINTER cartridge, please", "Docking station dead"],
            "Software": ["Excel crashes on open", "Cannot install update, error 0x80", "Teams has no sound", "Report tool very slow"],
            "Network": ["VPN drops every hour", "Wifi weak in meeting room, again", "Shared drive unreachable"],
            "Account": ["Password reset", "Locked out after holiday", "Access to shared mailbox, please"]}
    who = ["m.hollis", "t.abebe", "s.varga", "j.lim", "p.duarte", "k.novak", "r.singh", "a.fischer", "l.moreau", "e.ozturk"]
    recs = []
    t = datetime(2024, 11, 4, 8, 3)
    used = set()
    for i in range(148):
        t += timedelta(minutes=r.randint(6, 88))
        if t.hour >= 17: t = (t + timedelta(days=1)).replace(hour=8, minute=r.randint(1, 40))
        while t.weekday() > 4: t += timedelta(days=1)
        if t.minute == 0: t += timedelta(minutes=1)
        c = r.choices(list(subs), [4, 4, 2, 3])[0]
        st = r.choices(["closed", "open", "waiting"], [16, 2, 1])[0]
        p = r.choices(["P1", "P2", "P3", "P4"], [2, 4, 6, 3])[0]
        m = None
        if st == "closed":
            m = int({"P1": r.randint(12, 190), "P2": r.randint(30, 420), "P3": r.randint(40, 1100), "P4": r.randint(60, 2400)}[p])
            while m in used: m += 1
            used.add(m)
        recs.append(dict(id=f"HD-{7300 + i}", t=t, who=r.choice(who), d=r.choices(dep, [6, 5, 4, 2, 1])[0], c=c, p=p, st=st, m=m, sub=r.choice(subs[c]),
                         sat=r.choices([1, 2, 3, 4, 5, None], [1, 1, 3, 6, 6, 7])[0] if st == "closed" else None))
    out = []
    for x in recs:
        m = x["m"]
        if m is None: ms = ""
        elif m < 60: ms = r.choice([f"{m}m", f"{m} min"])
        elif m < 100: ms = r.choice([f"{m} min", f"{m // 60}h {m % 60}m"])
        else: ms = f"{m // 60}h {m % 60}m" if m % 60 else f"{m // 60}h"
        out.append([x["id"], x["t"].strftime("%Y-%m-%d %H:%M"), x["who"], x["d"], x["c"], x["p"], x["sub"], x["st"], ms, "" if x["sat"] is None else x["sat"]])
    put("helpdesk_nov.csv", csvtext(["Ticket", "Opened", "Requester", "Department", "Category", "Priority", "Subject", "Status", "Time to resolve", "Rating"], out))
    bc = defaultdict(list)
    for x in recs:
        if x["sat"]: bc[x["c"]].append(x["sat"])
    p1 = [x["m"] for x in recs if x["p"] == "P1" and x["m"]]
    add("helpdesk_nov.csv", [
        ("not-closed", "How many tickets are not closed yet?", one(sum(x["st"] != "closed" for x in recs))),
        ("median-p1", "median time to resolve for P1 tickets, in minutes", one(statistics.median(p1))),
        ("printer", "how many tickets mention a printer in the subject", one(sum("printer" in x["sub"].lower() for x in recs))),
        ("rating-per-category", "Average rating per category", groups({k: avg(v) for k, v in bc.items()})),
        ("longest-ticket", "Which ticket took longest to resolve?", rows([only([x for x in recs if x["m"]], lambda x: x["m"])["id"]])),
        ("nine-to-ten", "How many tickets came in between 9 and 10 in the morning?", one(sum(x["t"].hour == 9 for x in recs))),
        ("technician", "Which technician solved the most tickets?", None),
    ])


# ---------------------------------------------------------------- 7 backup log
def backup():
    r = random.Random(1707)
    recs = []
    jobs = {"config": (1, 45), "db-main": (2, 0), "mail-archive": (2, 40), "fileshare": (3, 30)}
    for d in range(1, 32):
        for j, (h, m) in jobs.items():
            t = datetime(2024, 10, d, h, m, r.randint(2, 40))
            st = r.choices(["ok", "failed", "partial"], [24, 2.2, 1.2])[0]
            ms = {"config": r.randint(620, 2900), "db-main": r.randint(260, 560) * 1000, "mail-archive": r.randint(470, 760) * 1000, "fileshare": r.randint(1500, 4100) * 1000}[j]
            if ms == 600000: ms += 7000
            mb = {"config": r.randint(8, 40), "db-main": r.randint(41, 69) * 100, "mail-archive": r.choice([r.randint(610, 980), r.randint(11, 34) * 100]), "fileshare": r.randint(120, 310) * 100}[j]
            recs.append(dict(t=t, j=j, st=st, ms=ms, mb=mb, err=r.choice(["disk full", "connection reset", "snapshot timeout"]) if st == "failed" else None, n=r.randint(40, 90000)))
    L = []
    for x in recs:
        t = x["t"].strftime("%Y-%m-%dT%H:%M:%SZ")
        if x["j"] == "config" and x["t"].day % 6 == 0:
            L.append(f'time={x["t"].strftime("%Y-%m-%d")}T00:15:00Z level=info component=retention msg="old snapshots pruned" removed={r.randint(1, 9)}')
        s = x["ms"] // 1000
        du = f"{x['ms']}ms" if x["ms"] < 1000 else (f"{x['ms'] / 1000:.2f}s".replace(".00s", "s") if x["ms"] < 60000 else r.choice([f"{s}s", f"{s // 60}m{s % 60}s"]))
        if x["j"] == "config": x["ms"] = int(round(float(du[:-1]) * 1000)) if not du.endswith("ms") else x["ms"]
        sz = f"{x['mb']}MB" if x["mb"] < 1000 else f"{x['mb'] / 1000:.1f}GB"
        if x["st"] == "failed":
            L.append(f'time={t} level=error job={x["j"]} host=nas2 status=failed error="{x["err"]}" msg="backup aborted"')
        else:
            lv, msg = ("info", "backup finished") if x["st"] == "ok" else ("warn", "finished, some files skipped")
            L.append(f'time={t} level={lv} job={x["j"]} host=nas2 status={x["st"]} duration={du} size={sz} files={x["n"]} msg="{msg}"')
    put("backup.log", "\n".join(L) + "\n")
    fails = [x for x in recs if x["st"] == "failed"]
    fj = Counter(x["j"] for x in fails); assert len(fj) == 4, fj
    okdb = [x for x in recs if x["j"] == "db-main" and x["st"] != "failed"]
    add("backup.log", [
        ("failed-per-job", "failed backups per job", groups(fj)),
        ("db-main-longest", "On which day did db-main take the longest?", rows([only(okdb, lambda x: x["ms"])["t"].strftime("%Y-%m-%d")])),
        ("fileshare-gb", "How many GB did the fileshare job write over the whole month?", one(Decimal(sum(x["mb"] for x in recs if x["j"] == "fileshare" and x["st"] != "failed")) / 1000)),
        ("reasons", "What errors made backups fail, and how often each?", groups(Counter(x["err"] for x in fails))),
        ("mail-10min", "Wie oft hat mail-archive länger als 10 Minuten gebraucht?", one(sum(x["j"] == "mail-archive" and x["st"] != "failed" and x["ms"] > 600000 for x in recs))),
        ("last-failure", "when was the last failed backup?", rows([max(x["t"] for x in fails).strftime("%Y-%m-%dT%H:%M:%SZ")])),
    ])


# ---------------------------------------------------------------- 8 nginx
def nginx():
    r = random.Random(1708)
    ips = ["198.51.100.23", "203.0.113.77", "192.0.2.14", "198.51.100.150", "203.0.113.9", "192.0.2.201", "198.51.100.61"]
    ua = {"chrome": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36", "ff": "Mozilla/5.0 (Windows NT 10.0; rv:125.0) Gecko/20100101 Firefox/125.0",
          "gb": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "curl": "curl/8.5.0"}
    recs = []
    t = datetime(2024, 5, 22, 8, 0, 11)
    for i in range(310):
        t += timedelta(seconds=r.randint(3, 110))
        if (t.minute, t.second) == (0, 0): t += timedelta(seconds=2)
        p = r.choices(["/", "/shop", "/shop/cart", "/about", "/login", "/downloads/catalogue.pdf", "/search?q=lamp", "/old-page", "/wp-login.php", "/api/stock", "/checkout"],
                      [9, 8, 4, 3, 5, 3, 3, 2, 2, 5, 3])[0]
        me = "GET"; st = 200; b = r.randint(900, 24000)
        if p == "/login":
            me = r.choice(["GET", "POST", "POST"])
            if me == "POST": st = r.choice([302, 302, 401])
        if p in ("/old-page", "/wp-login.php"): st = 404; b = 153
        if p in ("/api/stock", "/checkout") and r.random() < .25: st = r.choice([500, 502]); b = 170
        if p == "/checkout": me = "POST"
        if p.endswith(".pdf"): b = 1843200 if r.random() < .8 else r.randint(20000, 900000)
        if st == 302: b = 0
        if p in ("/", "/about") and r.random() < .2: st = 304; b = 0
        ip = r.choices(ips, [12, 9, 7, 4, 3, 2, 1])[0]
        a = "gb" if ip == "203.0.113.9" else r.choices(["chrome", "ff", "curl"], [6, 4, 1])[0]
        recs.append(dict(t=t, ip=ip, me=me, p=p, st=st, b=b, a=a, rt=round(r.uniform(.004, .9) if st != 502 else r.uniform(5, 30), 3)))
    put("access.log", "".join(f'{x["ip"]} - - [{x["t"].strftime("%d/%b/%Y:%H:%M:%S")} +0200] "{x["me"]} {x["p"]} HTTP/1.1" {x["st"]} {x["b"]} "-" "{ua[x["a"]]}" rt={x["rt"]:.3f}\n' for x in recs))
    add("access.log", [
        ("pct-404", "what percentage of requests ended in a 404", one(Decimal(100 * sum(x["st"] == 404 for x in recs)) / len(recs))),
        ("top3-ips", "top 3 client IPs by number of requests", rows(top(Counter(x["ip"] for x in recs), 3))),
        ("paths-500", "Which paths answered with a 500 or 502? (each once)", rows(dict.fromkeys(x["p"] for x in recs if x["st"] in (500, 502)))),
        ("ten-eleven", "number of requests between 10:00 and 11:00", one(sum(x["t"].hour == 10 for x in recs))),
        ("catalogue-bytes", "how many bytes did we send out for the catalogue pdf, all requests together?", one(sum(x["b"] for x in recs if x["p"].endswith("catalogue.pdf")))),
        ("login-401", "Wie viele POSTs auf /login wurden mit 401 abgelehnt?", one(sum(x["p"] == "/login" and x["me"] == "POST" and x["st"] == 401 for x in recs))),
        ("countries", "Which country do most of the visitors live in?", None),
    ])


# ---------------------------------------------------------------- 9 auth log
def auth():
    r = random.Random(1709)
    bad = ["203.0.113.200", "198.51.100.7", "192.0.2.88", "203.0.113.41"]
    good = {"maria": "10.0.4.12", "tomasz": "10.0.4.31", "deploy": "10.0.9.2"}
    recs = []; L = []
    t = datetime(2025, 3, 3, 0, 4, 10)
    cmds = ["/usr/bin/systemctl restart nginx", "/usr/bin/apt update", "/usr/bin/tail -f /var/log/syslog"]
    while t < datetime(2025, 3, 6, 23, 0):
        k = r.choices(["fail", "inv", "acc", "sudo", "cron", "disc"], [8, 6, 4, 2, 5, 3])[0]
        if k == "sudo" and not 7 <= t.hour <= 19: k = "fail"
        if k == "acc" and not 6 <= t.hour <= 20: k = "inv"
        x = dict(t=t, k=k)
        pre = f"{t.strftime('%b')} {t.day:2d} {t.strftime('%H:%M:%S')} gate "
        pid = r.randint(900, 31000); port = r.randint(30000, 64000)
        if k in ("fail", "inv"):
            x["ip"] = r.choices(bad, [9, 5, 3, 2])[0]
            x["u"] = r.choices(["root", "maria"], [5, 1])[0] if k == "fail" else r.choice(["admin", "oracle", "test", "pi", "ubuntu"])
            L.append(pre + f"sshd[{pid}]: Failed password for {'invalid user ' if k == 'inv' else ''}{x['u']} from {x['ip']} port {port} ssh2")
        elif k == "acc":
            x["u"] = r.choices(list(good), [5, 3, 4])[0]
            L.append(pre + f"sshd[{pid}]: Accepted publickey for {x['u']} from {good[x['u']]} port {port} ssh2: ED25519 SHA256:{r.getrandbits(60):x}")
        elif k == "sudo":
            x["u"] = r.choice(["maria", "tomasz"])
            L.append(pre + f"sudo:   {x['u']} : TTY=pts/{r.randint(0, 3)} ; PWD=/home/{x['u']} ; USER=root ; COMMAND={r.choice(cmds)}")
        elif k == "cron":
            L.append(pre + f"CRON[{pid}]: (root) CMD (run-parts --report /etc/cron.hourly)")
        else:
            L.append(pre + f"sshd[{pid}]: Connection closed by {r.choice(bad)} port {port} [preauth]")
        recs.append(x)
        t += timedelta(seconds=r.randint(120, 2300))
    put("auth.log", "\n".join(L) + "\n")
    f = [x for x in recs if x["k"] in ("fail", "inv")]
    add("auth.log", [
        ("failed-pw", "How many failed password attempts are in here?", one(len(f))),
        ("worst-ip", "which address tried the most wrong passwords?", rows(top(Counter(x["ip"] for x in f)))),
        ("accepted-per-user", "accepted logins per user", groups(Counter(x["u"] for x in recs if x["k"] == "acc"))),
        ("sudo-users", "Who used sudo?", rows(dict.fromkeys(x["u"] for x in recs if x["k"] == "sudo"))),
        ("cron-4-maerz", "Wie viele CRON-Zeilen gibt es am 4. März?", one(sum(x["k"] == "cron" and x["t"].day == 4 for x in recs))),
        ("first-mar-5", "Who was the first to log in successfully on March 5?", rows([[x for x in recs if x["k"] == "acc" and x["t"].day == 5][0]["u"]])),
    ])


# ---------------------------------------------------------------- 10 marathon
def marathon():
    r = random.Random(1710)
    fn = {"W": "Anna Leonie Sofia Grace Ines Marta Freya Zoe Klara Nina Ruth Tessa Vera Maja Elena".split(), "M": "Ben Luca Piotr Hugo Jonas Amir Callum Oskar Nils Pablo Rory Stefan Tim Viktor Aaron".split()}
    ln = "Abbott Berger Castillo Dunne Eklund Farrow Greco Holm Iversen Janssen Keller Lowe Madsen Norris Orban Pryce Quist Rowan Steiner Tamm".split()
    clubs = ["Hillside Harriers", "TV Neustadt", "Riverside Runners", "Lauftreff Ost", "-"]
    recs = []; names = set(); used = set()
    hms = lambda s: f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}"
    bibs = r.sample(range(101, 990), 121)
    for b in bibs:
        s = r.choices(["M", "W"], [7, 5])[0]
        while True:
            n = f"{r.choice(fn[s])} {r.choice(ln)}"
            if n not in names: break
        names.add(n)
        fin = int(r.gauss(13900 if s == "M" else 15000, 1900)); fin = max(fin, 9100)
        while fin in used or fin == 12600 or fin == 14400: fin += 3
        used.add(fin)
        half = int(fin * r.uniform(.462, .503))
        st = r.choices(["ok", "DNF", "DNS"], [40, 3, 1.5])[0]
        recs.append(dict(bib=b, n=n, s=s, cat=s + r.choice(["20", "30", "35", "40", "45", "50", "60"]), club=r.choices(clubs, [5, 4, 4, 3, 2])[0], half=half if st == "ok" or (st == "DNF" and r.random() < .6) else None, fin=fin if st == "ok" else None, st=st))
    L = ["Bib\tName\tSex\tClass\tClub\tHalf\tFinish"]
    for x in recs:
        L.append("\t".join([str(x["bib"]), x["n"], x["s"], x["cat"], x["club"], hms(x["half"]) if x["half"] else "", hms(x["fin"]) if x["fin"] else x["st"]]))
    put("marathon_results.tsv", "\n".join(L) + "\n")
    ok = [x for x in recs if x["fin"]]
    w = sorted(x["fin"] for x in ok if x["s"] == "W"); m = sorted(x["fin"] for x in ok if x["s"] == "M")
    med = statistics.median(m)
    cl = Counter(x["club"] for x in ok); assert top(cl)[0] != "-"
    if len(m) % 2 == 0: print("even men", len(m))
    add("marathon_results.tsv", [
        ("women-winner", "Who won the women's race?", rows([only([x for x in ok if x["s"] == "W"], lambda x: x["fin"], False)["n"]])),
        ("top5", "first five across the line, in order", rows(x["n"] for x in sorted(ok, key=lambda x: x["fin"])[:5])),
        ("dnf", "How many had to drop out (DNF)?", one(sum(x["st"] == "DNF" for x in recs))),
        ("women-sub-4", "How many women finished in under 4 hours?", one(sum(x["fin"] < 14400 and x["s"] == "W" for x in ok))),
        ("median-men", "Median finish time of the men?", rows([hms(int(med))])),
        ("negative-split", "how many ran the second half faster than the first?", one(sum(x["fin"] - x["half"] < x["half"] for x in ok))),
        ("charity", "How much money was raised for charity?", None),
    ])
    for x in ok: assert x["fin"] != 2 * x["half"]


# ---------------------------------------------------------------- 11 marks
def marks():
    r = random.Random(1711)
    names = ["Albrecht, Jonas", "Aydın, Elif", "Böhm, Clara", "Cordes, Finn", "Dietz, Marlene", "Ebert, Tom", "Fuchs, Lina", "Günther, Max", "Haas, Pia", "Hoffmann, Leon", "Jäger, Mira", "Kaiser, Paul",
             "Kowalczyk, Ola", "Lang, Emil", "Maurer, Ida", "Nowak, Filip", "Otto, Greta", "Peters, Noah", "Rahimi, Sara", "Schäfer, Ben", "Schulz, Hannah", "Thiel, Anton", "Ullrich, Nele", "Vogt, Karl", "Wagner, Mia", "Zimmer, Jan"]
    subj = ["Deutsch", "Mathe", "Englisch", "Physik", "Sport"]
    recs = []
    for n in names:
        base = r.uniform(1.6, 4.4)
        x = dict(n=n)
        for s in subj:
            v = base + {"Deutsch": 0, "Mathe": .4, "Englisch": -.1, "Physik": .3, "Sport": -.8}[s] + r.uniform(-.9, .9)
            x[s] = Decimal(str(round(min(5.7, max(1.1, v)), 1)))
        x["fehl"] = r.randint(0, 14); x["un"] = r.randint(0, min(3, x["fehl"]))
        recs.append(x)
    recs[4]["Sport"] = None; recs[17]["Sport"] = None; recs[22]["Sport"] = None; recs[9]["Physik"] = None; recs[20]["Englisch"] = None
    blank = {(4, "Sport"): "befreit", (17, "Sport"): "", (22, "Sport"): "befreit", (9, "Physik"): "", (20, "Englisch"): "krank"}
    recs[15]["fehl"] = 23
    recs[6]["Physik"] = Decimal("1.0")
    out = []
    c = lambda v: str(v).replace(".", ",")
    for i, x in enumerate(recs):
        out.append([x["n"]] + [c(x[s]) if x[s] is not None else blank[i, s] for s in subj] + [x["fehl"], x["un"]])
    means = {s: avg([x[s] for x in recs if x[s] is not None]) for s in subj}
    out.append(["Durchschnitt"] + [c(num(means[s])) for s in subj] + [c(num(avg([x["fehl"] for x in recs]))), c(num(avg([x["un"] for x in recs])))])
    put("noten_9b.csv", csvtext(["Name"] + subj + ["Fehltage", "davon unentschuldigt"], out, ";"))
    ms = sorted(means.values()); assert num(ms[0]) != num(ms[1])
    add("noten_9b.csv", [
        ("mathe-schlechter-4", "Wer steht in Mathe schlechter als 4,0?", rows(x["n"] for x in recs if x["Mathe"] > 4)),
        ("englisch-schnitt", "Klassenschnitt in Englisch?", one(means["Englisch"])),
        ("physik-beste", "Wer hat die beste Physiknote?", rows([only([x for x in recs if x["Physik"] is not None], lambda x: x["Physik"], False)["n"]])),
        ("keine-sportnote", "Wer hat keine Note in Sport?", rows(x["n"] for x in recs if x["Sport"] is None)),
        ("deutsch-besser-mathe", "Bei wie vielen Schülern ist die Deutschnote besser als die Mathenote?", one(sum(x["Deutsch"] < x["Mathe"] for x in recs))),
        ("unentschuldigt-summe", "Wie viele unentschuldigte Fehltage hat die Klasse zusammen?", one(sum(x["un"] for x in recs))),
    ])


# ---------------------------------------------------------------- 12 hotel
def hotel():
    r = random.Random(1712)
    fn = "Alasdair Moira Pieter Claire Hamish Yuki Ravi Ingrid Tom Beth Carlo Siobhan Erik Fatima George Helen".split()
    ln = "MacLeod Visser Dupont Tanaka Patel Larsen Hughes Romano Byrne Haddad Sinclair Ross".split()
    rate = {"Single": 78, "Double": 112, "Family": 149, "Loch Suite": 215}
    rem = ["", "", "", "", "late arrival, after 22:00", "bringing a small dog", "vegetarian, no nuts", "two dogs, ground floor please", "anniversary", "cot needed", "Dog friendly room, please"]
    recs = []; names = set()
    for i in range(126):
        while True:
            n = f"{r.choice(fn)} {r.choice(ln)}"
            if n not in names: break
        names.add(n)
        room = r.choices(list(rate), [2, 6, 3, 1])[0]
        ni = r.choices([1, 2, 3, 4, 5, 7], [3, 7, 6, 4, 2, 2])[0]
        tot = Decimal(rate[room] * ni) * r.choice([Decimal("1"), Decimal("1"), Decimal("0.9"), Decimal("1.05")])
        recs.append(dict(g=n, a=date(2024, 6, 1) + timedelta(r.randint(0, 121)), ni=ni, room=room, ad=1 if room == "Single" else 2, ch=r.choice([1, 2, 3]) if room == "Family" else 0,
                         chn=r.choices(["website", "phone", "Booking.com", "travel agent"], [5, 3, 6, 1])[0], tot=tot.quantize(Decimal("0.01")), can=r.random() < .12, rem=r.choice(rem)))
    recs[57]["ni"] = 12; recs[57]["can"] = False; recs[57]["tot"] = Decimal(rate[recs[57]["room"]] * 12) * Decimal("0.9")
    recs.sort(key=lambda x: x["a"])
    out = []
    for i, x in enumerate(recs):
        x["id"] = f"R{2201 + i}"
        out.append([x["id"], x["g"], x["a"].strftime("%d/%m/%Y"), x["ni"], x["room"], x["ad"], x["ch"] or r.choice(["0", ""]), x["chn"], f"£{x['tot']:,.2f}", "yes" if x["can"] else "", x["rem"]])
    put("hotel_bookings.csv", csvtext(["Booking", "Guest", "Arrival", "Nights", "Room", "Adults", "Children", "Booked via", "Total", "Cancelled", "Remarks"], out))
    bc = defaultdict(Decimal); br = defaultdict(list)
    for x in recs:
        br[x["room"]].append(x["ni"])
        if not x["can"]: bc[x["chn"]] += x["tot"]
    add("hotel_bookings.csv", [
        ("august-arrivals", "How many bookings, cancelled or not, arrive in August?", one(sum(x["a"].month == 8 for x in recs))),
        ("value-not-cancelled", "Total value of the bookings that were not cancelled", one(sum(x["tot"] for x in recs if not x["can"]))),
        ("channel-money", "leaving out cancelled ones, how much money came in through each booking channel?", groups(bc)),
        ("nights-per-room", "average number of nights per room type", groups({k: avg(v) for k, v in br.items()})),
        ("dogs", "which guests arriving in September mentioned a dog?", rows(x["g"] for x in recs if x["a"].month == 9 and "dog" in x["rem"].lower())),
        ("stornos-juli", "Wie viele Buchungen mit Anreise im Juli wurden storniert?", one(sum(x["can"] and x["a"].month == 7 for x in recs))),
        ("hill-walk", "How many guests signed up for the guided hill walk?", None),
    ])


def everything():
    for f in (bakery, vet, choir, solar, parcels, helpdesk, backup, nginx, auth, marathon, marks, hotel):
        f()

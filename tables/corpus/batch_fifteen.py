"""The fifteenth batch: 14 files and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv, io, json, random
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal as D
from fractions import Fraction as F
from statistics import median

from common import Author

AUTHOR = Author("fifteen", 15)
save = AUTHOR.write


def ask(f, key, q, rows):
    if rows is not None:
        rows = [[str(c) for c in (r if isinstance(r, (list, tuple)) else [r])] for r in rows]
        assert rows and all(c != "" for r in rows for c in r), (f, key)
    AUTHOR.ask(f, [(key, q, rows)])


def num(x, nd=2, keep=False):
    """x (int, Fraction) as text, at most nd decimals; not on a rounding edge."""
    x = F(x)
    s = x * 10 ** nd
    assert (s - (s.numerator // s.denominator)) != F(1, 2), "rounding edge"
    r = round(s)
    t = f"{D(r).scaleb(-nd):f}" if nd else str(r)
    if not keep and "." in t:
        t = t.rstrip("0").rstrip(".")
    return t

def cents(c):
    return f"{'-' if c < 0 else ''}{abs(c)//100}.{abs(c)%100:02d}"

def best(items, key, low=False):
    """The one item with the largest (smallest) key; no tie."""
    o = sorted(items, key=key, reverse=not low)
    assert key(o[0]) != key(o[1]), "tie"
    return o[0]

def topn(counter, n):
    o = sorted(counter.items(), key=lambda kv: -kv[1])
    for a, b in zip(o[:n], o[1:n + 1]):
        assert a[1] != b[1], "tie"
    return o[:n]

def de(c, dots=True):
    w, r = divmod(c, 100)
    return (f"{w:,}".replace(",", ".") if dots else str(w)) + f",{r:02d}"

def mean(xs):
    return sum(F(x) for x in xs) / len(xs)

# ---------------------------------------------------------------- 1 kassenbuch
def kassenbuch():
    R = random.Random(1501)
    f = "kassenbuch.csv"
    d = date(2024, 1, 3)
    rows = []
    kinds = [("Mitgliedsbeitrag", "Mitgliedsbeitrag {n}", 1, (6000, 12000)), ("Spende", "Spende {n}", 1, (2000, 50000)),
             ("Raummiete", "Miete Turnhalle; {m}", 0, (18000, 24000)), ("Material", "Bälle und Netze, Sport {n}", 0, (1500, 42000)),
             ("Verpflegung", "Getränke Vereinsabend", 0, (1200, 16000)), ("Fest", "Einnahmen Sommerfest Stand {k}", 1, (5000, 140000)),
             ("Porto", "Briefmarken", 0, (450, 2500)), ("Versicherung", "Haftpflicht Rate {k}", 0, (21000, 132000))]
    names = ["Schröder", "Lüdtke", "Yılmaz", "Brandt", "Kowalski", "Ohlsen", "Weiß", "Hartmann"]
    n = 0
    while True:
        d += timedelta(days=R.choice([0, 1, 2, 3, 4, 5, 6]))
        if d.year > 2024:
            break
        k, t, inc, rg = R.choices(kinds, [30, 10, 14, 12, 10, 4, 8, 4])[0]
        n += 1
        amt = R.randrange(*rg, 50) if k != "Porto" else R.randrange(*rg, 5)
        text = t.format(n=R.choice(names), m=f"{d.month:02d}/24", k=R.randint(1, 4))
        bel = f"B{n:04d}" if R.random() > .13 else ""
        konto = R.choices(["Kasse", "Bank"], [45, 55])[0]
        ds = d.strftime("%d.%m.%Y") if R.random() > .15 else f"{d.day}.{d.month}.{d.year}"
        rows.append(dict(d=d, ds=ds, bel=bel, text=text, k=k, inc=amt if inc else 0, out=0 if inc else amt, konto=konto))
    b = io.StringIO()
    w = csv.writer(b, delimiter=";", lineterminator="\r\n")
    w.writerow(["Datum", "Beleg-Nr.", "Verwendungszweck", "Kategorie", "Einnahmen", "Ausgaben", "Kasse/Bank"])
    for r in rows:
        w.writerow([r["ds"], r["bel"], r["text"], r["k"], de(r["inc"]) if r["inc"] else "", de(r["out"]) if r["out"] else "", r["konto"]])
    save(f, b.getvalue())
    S = lambda c, k: sum(r[k] for r in rows if c(r))
    ask(f, "raummiete", "Wie viel haben wir 2024 für die Raummiete ausgegeben?", [cents(S(lambda r: r["k"] == "Raummiete", "out"))])
    ask(f, "unterm strich", "Was bleibt unterm Strich, also alle Einnahmen minus alle Ausgaben?", [cents(S(lambda r: 1, "inc") - S(lambda r: 1, "out"))])
    ask(f, "höchste ausgabe tag", "An welchem Tag hatten wir die höchste einzelne Ausgabe?", [best(rows, lambda r: r["out"])["ds"]])
    ask(f, "ohne beleg", "bei wie vielen buchungen fehlt die belegnummer", [sum(not r["bel"] for r in rows)])
    ask(f, "kasse oder bank", "Wie viel wurde bar aus der Kasse und wie viel über die Bank ausgegeben?",
        [[k, cents(S(lambda r: r["konto"] == k, "out"))] for k in ("Kasse", "Bank")])
    ask(f, "erstes quartal", "Einnahmen im ersten Quartal 2024?", [cents(S(lambda r: r["d"].month <= 3, "inc"))])
    ask(f, "austritte", "Welche Mitglieder sind im Laufe des Jahres ausgetreten?", None)

# ---------------------------------------------------------------- 2 grades
def grades():
    R = random.Random(1502)
    f = "grades" ".md"
    last = ["Nguyen", "O'Brien", "Patel", "Garcia", "Kim", "Müller", "Adeyemi", "Rossi", "Cohen", "Novak", "Silva", "Haddad", "Larsen", "Dubois", "Sato", "Wright", "Evans", "Khan"]
    first = ["Linh", "Sean", "Asha", "Mateo", "Jiwoo", "Greta", "Tobi", "Chiara", "Noah", "Petra", "Ines", "Omar", "Freja", "Luc", "Yuki", "Hannah", "Rhys", "Zara", "Ella", "Max"]
    names = set()
    while len(names) < 36:
        names.add(f"{R.choice(first)} {R.choice(last)}")
    names = sorted(names, key=lambda n: n.split()[-1] + n)
    rows = []
    for n in names:
        base = R.gauss(66, 14)
        g = lambda s, p: None if R.random() < p else max(12, min(100, round(R.gauss(base, s))))
        q1 = None if R.random() < .1 else max(3, min(20, round(R.gauss(base / 5, 2.5))))
        q2 = None if R.random() < .1 else max(3, min(20, round(R.gauss(base / 5 + .6, 3.2))))
        rows.append(dict(n=n, s=R.choice("AB"), q1=q1, q2=q2, mid=g(8, .12), fin=g(9, .06), ab=R.choices(range(9), [6, 6, 7, 6, 4, 3, 2, 1, 1])[0]))
    cell = lambda v: str(v) if v is not None else "absent"
    L = ["# Year 10 maths, spring term", "", "| Student | Section | Quiz 1 (of 20) | Quiz 2 (of 20) | Midterm | Final | Days absent |", "|:--|:-:|--:|--:|--:|--:|--:|"]
    for r in rows:
        L.append(f"| {r['n']} | {r['s']} | {cell(r['q1'])} | {cell(r['q2'])} | {cell(r['mid'])} | {cell(r['fin'])} | {r['ab']} |")
    save(f, "\n".join(L) + "\n")
    ok = lambda k, c=lambda r: 1: [r for r in rows if r[k] is not None and c(r)]
    ask(f, "best final", "Who got the best mark in the final?", [best(ok("fin"), lambda r: r["fin"])["n"]])
    ask(f, "missed midterm", "How many kids were absent for the midterm?", [sum(r["mid"] is None for r in rows)])
    ask(f, "quiz 1 mean", "what's the class average on quiz 1, not counting those who were absent for it", [num(mean([r["q1"] for r in ok("q1")]))])
    up = [r["n"] for r in ok("q1") if r["q2"] is not None and r["q2"] - r["q1"] >= 4]
    ask(f, "improved", "Which students gained 4 points or more from the first quiz to the second?", up)
    ask(f, "median per section", "Median final mark in section A compared with section B?",
        [[s, num(F(median([F(r["fin"]) for r in ok("fin", lambda r: r["s"] == s)])))] for s in "AB"])
    ask(f, "b under 55", "List everyone in section B who got under 55 in the final.", [r["n"] for r in ok("fin", lambda r: r["s"] == "B" and r["fin"] < 55)])
    ask(f, "absent more than 5", "who was away more than 5 days this term", [r["n"] for r in rows if r["ab"] > 5])

# ---------------------------------------------------------------- 3 app.log
def applog():
    R = random.Random(1503)
    f = "app.log"
    t = datetime(2024, 6, 11, 8, 0, 7)
    paths = {"cart": ["/cart", "/cart/add"], "pay": ["/checkout"], "search": ["/search"], "auth": ["/login", "/logout"]}
    rows, L, seen = [], [], set()
    while t < datetime(2024, 6, 11, 12, 58):
        t += timedelta(seconds=R.randint(5, 120), milliseconds=R.randint(1, 999))
        ts = t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{t.microsecond//1000:03d}Z"
        svc = R.choices(list(paths), [35, 20, 30, 15])[0]
        if R.random() < .07:
            L.append(f"ts={ts} level={R.choice(['info','warn'])} svc={svc} msg=\"{R.choice(['cache warmed','config reloaded','pool size=20, ok','slow disk'])}\"")
            rows.append(dict(t=t, svc=svc, req=None, us=None, st=None, user=None, p=None))
            continue
        p = R.choice(paths[svc])
        st = R.choices([200, 302, 404, 500, 502, 503], [80, 6, 6, 3, 3, 3])[0]
        form = R.choices(["ms", "s", "us"], [78, 17, 5])[0]
        if form == "ms": v = R.randint(4, 940); us = v * 1000; dur = f"{v}ms"
        elif form == "s": v = R.randint(102, 890); us = v * 10000; dur = f"{v//100}.{v%100:02d}s".replace("0s", "s") if v % 10 == 0 else f"{v//100}.{v%100:02d}s"
        else: v = R.randint(120, 990); us = v; dur = f"{v}µs"
        while True:
            rid = f"{R.randrange(16**6):06x}"
            if rid not in seen and not rid.isdigit() and not ("e" in rid and rid.replace("e", "").isdigit()): break
        seen.add(rid)
        user = f"u{R.randint(1001, 1060)}" if R.random() > .15 else None
        lv = "error" if st >= 500 else ("warn" if st == 404 else "info")
        s = f"ts={ts} level={lv} svc={svc} msg=\"request done\" path={p} status={st} dur={dur}" + (f" user={user}" if user else "") + f" req={rid}"
        if st >= 500: s += f" err=\"{R.choice(['upstream timeout, gave up','db: too many connections','bad gateway'])}\""
        L.append(s)
        rows.append(dict(t=t, svc=svc, req=rid, us=us, st=st, user=user, p=p))
    save(f, "\n".join(L) + "\n")
    rq = [r for r in rows if r["us"] is not None]
    err = [r for r in rq if r["st"] >= 500]
    ask(f, "over a second", "how many requests took more than one second?", [sum(r["us"] > 1000000 for r in rq)])
    ask(f, "slowest", "request id of the slowest request", [best(rq, lambda r: r["us"])["req"]])
    ask(f, "checkout mean", "What was the average duration of /checkout, in milliseconds?", [num(mean([F(r["us"], 1000) for r in rq if r["p"] == "/checkout"]))])
    ask(f, "errors 10 to 11", "How many error lines were there between 10:00 and 11:00?", [sum(r["t"].hour == 10 for r in err)])
    ask(f, "errors per service", "errors per service please", [[k, v] for k, v in Counter(r["svc"] for r in err).most_common()])
    ask(f, "5xx share", "Of the lines that carry a status code, what percentage is 5xx?", [num(F(100 * len(err), len(rq)), 2) + "%"])
    ask(f, "build", "Which build number of the cart service was deployed that morning?", None)

# ---------------------------------------------------------------- 4 access.log
def access():
    R = random.Random(1504)
    f = "access.log"
    ips = [f"{R.choice([31,46,81,93,178,203])}.{R.randint(1,250)}.{R.randint(1,250)}.{R.randint(1,250)}" for _ in range(32)]
    pages = ["/", "/about.html", "/products", "/products/42", "/blog/hello-world", "/contact", "/img/logo.png", "/favicon.ico", "/search?q=lamp", "/search?q=red+sofa"]
    ua = ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36",
          "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
          "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
          "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "curl/8.5.0"]
    t = datetime(2024, 5, 22, 9, 0, 3)
    rows, L = [], []
    while t < datetime(2024, 5, 22, 17, 50):
        t += timedelta(seconds=R.randint(3, 170))
        if t.minute == 0 and t.second == 0: t += timedelta(seconds=1)
        ip = R.choices(ips, [14, 9] + [2] * 30)[0]
        u = R.choices(ua, [40, 25, 15, 12, 8])[0]
        m, st = "GET", 200
        x = R.random()
        if x < .06: p, m, st = "/wp-login.php", R.choice(["GET", "POST"]), 404; u = ua[4]
        elif x < .16: p, m, st = "/contact", "POST", R.choice([200, 302, 302, 400])
        elif x < .20: p, st = R.choice(["/old-page", "/.env", "/blog/draft"]), 404
        else:
            p = R.choices(pages, [30, 7, 18, 10, 8, 6, 12, 5, 2, 2])[0]
            st = R.choices([200, 304, 500], [88, 9, 3])[0]
        by = 0 if st == 304 else R.randint(150, 48000)
        ref = R.choice(["-", "-", "https://www.google.com/", "https://example.org/about.html"])
        L.append(f'{ip} - - [{t.strftime("%d/%b/%Y:%H:%M:%S")} +0200] "{m} {p} HTTP/1.1" {st} {by} "{ref}" "{u}"')
        rows.append(dict(ip=ip, t=t, m=m, p=p, st=st, by=by, ref=ref, u=u))
    save(f, "\n".join(L) + "\n")
    C = lambda c: sum(bool(c(r)) for r in rows)
    ask(f, "busiest ip", "which ip sent the most requests", [topn(Counter(r["ip"] for r in rows), 1)[0][0]])
    ask(f, "top 3", "The three most requested paths, and how often each was requested?", topn(Counter(r["p"] for r in rows), 3))
    ask(f, "posts 14 to 15", "POST requests between 14:00 and 15:00, how many?", [C(lambda r: r["m"] == "POST" and r["t"].hour == 14)])
    ask(f, "bytes", "total bytes sent over the whole log", [sum(r["by"] for r in rows)])
    ask(f, "googlebot", "How many hits came from Googlebot?", [C(lambda r: "Googlebot" in r["u"])])
    ask(f, "wp-login", "How many different addresses tried /wp-login.php?", [len({r["ip"] for r in rows if r["p"] == "/wp-login.php"})])

# ---------------------------------------------------------------- 5 bestellungen
def bestellungen():
    R = random.Random(1505)
    f = "bestellungen.csv"
    art = {'Tasse "Hamburg"; blau': 1290, "Kerze Vanille": 790, "Wolldecke grau": 5490, "Stehlampe Oslo": 12900, "Teelichter 24er": 450, "Kissen 40x40": 2450, "Vase, mundgeblasen": 3995}
    kunden = [f"{a}, {b}" for a, b in [("Müller", "Anna"), ("Bauer", "Jens"), ("Özdemir", "Selin"), ("Huber", "Franz"), ("Keller", "Urs"), ("Krüger", "Maike"), ("Steiner", "Eva"), ("Wolf", "Tim"), ("Lang", "Pia"), ("Vogt", "Ralf"), ("Böhm", "Lena"), ("Engel", "Uwe")]]
    land = {k: R.choices(["Deutschland", "Österreich", "Schweiz"], [60, 25, 15])[0] for k in kunden}
    land["Keller, Urs"] = "Schweiz"; land["Huber, Franz"] = "Österreich"; land["Steiner, Eva"] = "Österreich"
    d = date(2024, 1, 2)
    rows = []
    for i in range(150):
        d += timedelta(days=R.choice([0, 0, 1, 1, 2]))
        a = R.choice(list(art))
        k = R.choices(kunden, [9, 8, 8, 3, 4, 8, 6, 2, 7, 5, 2, 1])[0]
        rows.append(dict(nr=f"2024-{1001+i}", d=d, k=k, a=a, m=R.choices([1, 2, 3, 4, 6, 10, 12], [40, 22, 12, 10, 8, 5, 3])[0], p=art[a], rab=R.choices([0, 5, 10, 15, 20], [62, 12, 14, 6, 6])[0], l=land[k],
                         st=R.choices(["versendet", "storniert", "offen", "retourniert"], [70, 9, 14, 7])[0]))
    b = io.StringIO()
    w = csv.writer(b, delimiter=";", lineterminator="\n")
    w.writerow(["Bestellnr.", "Bestelldatum", "Kunde", "Artikel", "Menge", "Einzelpreis", "Rabatt", "Lieferland", "Status"])
    for r in rows:
        w.writerow([r["nr"], r["d"].strftime("%d.%m.%Y"), r["k"], r["a"], r["m"], de(r["p"]) + " €", f"{r['rab']} %" if r["rab"] else "", r["l"], r["st"]])
    save(f, "\ufeff" + b.getvalue())
    C = lambda c: sum(bool(c(r)) for r in rows)
    st = Counter(); 
    for r in rows: st[r["a"]] += r["m"]
    ask(f, "meiste stück", "Von welchem Artikel wurden insgesamt die meisten Stück bestellt?", [topn(st, 1)[0][0]])
    ask(f, "storno-anteil", "Wie viel Prozent aller Bestellungen wurden storniert oder retourniert?", [num(F(100 * C(lambda r: r["st"] in ("storniert", "retourniert")), len(rows))) + "%"])
    ask(f, "mit rabatt", "wie oft haben wir überhaupt rabatt gegeben", [C(lambda r: r["rab"])])
    ask(f, "märz umsatz", "Welchen Bestellwert (Menge mal Einzelpreis, ohne Rabatt zu berücksichtigen) hatten wir im März 2024?", [cents(sum(r["m"] * r["p"] for r in rows if r["d"].month == 3))])
    ask(f, "bestellungen je land", "Anzahl der Bestellungen pro Land", [[k, v] for k, v in Counter(r["l"] for r in rows).most_common()])
    ks = Counter(r["k"] for r in rows)
    ask(f, "stammkunden", "Welche Kunden haben mehr als 18 Mal bestellt?", [k for k, v in ks.most_common() if v > 18])
    ask(f, "offen österreich", "Welche Bestellnummern nach Österreich sind noch offen?", [r["nr"] for r in rows if r["st"] == "offen" and r["l"] == "Österreich"])

# ---------------------------------------------------------------- 6 expenses
def expenses():
    R = random.Random(1506)
    f = "expenses.csv"
    emp = ["Dana Whitfield", "Marcus Lee", "Priya Raman", "Tomás Ortega", "Ingrid Holm"]
    ven = {"Travel": ["Delta Air Lines", "Deutsche Bahn", "Uber"], "Meals": ["Joe's Diner, Inc.", "Pret A Manger", "Osteria Nova"], "Lodging": ["Hilton, Frankfurt", "Premier Inn"], "Office": ["Staples", "Ryman, London"], "Software": ["GitHub", "Figma, Inc."]}
    notes = ["", "", "lunch with client", "Client visit", "team offsite", "monthly plan", "taxi to airport", "conference, day 2"]
    rows = []
    for i in range(112):
        d = date(2024, 9, 1) + timedelta(days=R.randint(0, 90))
        c = R.choices(list(ven), [30, 30, 15, 15, 10])[0]
        cur = R.choices(["USD", "EUR", "GBP"], [42, 38, 20])[0]
        a = R.randint(800, 9900) if c != "Lodging" and R.random() > .12 else R.randint(11000, 189000)
        rows.append(dict(d=d, e=R.choice(emp), v=R.choice(ven[c]), c=c, cur=cur, a=a, rc=R.choices(["yes", "no", ""], [75, 14, 11])[0], n=R.choice(notes)))
    rows.sort(key=lambda r: r["d"])
    b = io.StringIO()
    w = csv.writer(b, lineterminator="\n")
    w.writerow(["Date", "Employee", "Vendor", "Category", "Amount", "Receipt", "Notes"])
    for r in rows:
        x = f"{r['a']//100:,}.{r['a']%100:02d}"
        am = R.choice({"USD": ["$" + x, "USD " + x], "EUR": ["€" + x, "EUR " + x, x + " €"], "GBP": ["£" + x, "GBP " + x]}[r["cur"]])
        ds = R.choice([r["d"].isoformat(), r["d"].strftime("%b ") + f"{r['d'].day}, {r['d'].year}", f"{r['d'].day} " + r["d"].strftime("%b %Y")])
        w.writerow([ds, r["e"], r["v"], r["c"], am, r["rc"], r["n"]])
    save(f, b.getvalue())
    ask(f, "usd total", "How much was claimed in US dollars altogether?", [cents(sum(r["a"] for r in rows if r["cur"] == "USD"))])
    ask(f, "pounds", "How many of the claims are in pounds?", [sum(r["cur"] == "GBP" for r in rows)])
    ask(f, "biggest euro", "Who put in the biggest euro claim?", [best([r for r in rows if r["cur"] == "EUR"], lambda r: r["a"])["e"]])
    ask(f, "all in euros", "What does everything come to in euros, with the dollars and pounds converted at the rates of the day?", None)
    ask(f, "no receipt", "How many claims do we not have a receipt for? Both the ones marked no and the ones left blank.", [sum(r["rc"] != "yes" for r in rows)])
    ask(f, "per category", "number of claims in each category", [[k, v] for k, v in Counter(r["c"] for r in rows).most_common()])
    ask(f, "client october", "How many claims dated October 2024 mention a client in the notes?", [sum(r["d"].month == 10 and "client" in r["n"].lower() for r in rows)])

# ---------------------------------------------------------------- 7 vitals
def vitals():
    R = random.Random(1507)
    f = "vitals.csv"
    pats = [f"P-{n}" for n in range(101, 109)]
    nur = ["A. Osei", "M. Lindqvist", "R. Castillo", "J. Park"]
    t = datetime(2024, 2, 5, 6, 12)
    rows = []
    for i in range(165):
        t += timedelta(minutes=R.randint(9, 75))
        if t.minute == 0: t += timedelta(minutes=1)
        c10 = round(R.gauss(373, 6))
        unit = "C" if R.random() > .25 else "F"
        if unit == "F":
            f10 = round(c10 * 1.8 + 320)
            if f10 == 1004: f10 = 1006        # 38.0 exactly
            tc = F(f10 - 320) * F(5, 9) / 10
            ts = f"{f10//10}.{f10%10} °F"
        else:
            tc = F(c10, 10); ts = f"{c10//10}.{c10%10} °C"
        if R.random() < .04: tc, ts = None, ""
        sy, di = round(R.gauss(132, 17)), round(R.gauss(80, 9))
        rows.append(dict(t=t, p=R.choice(pats), tc=tc, ts=ts, bp=None if R.random() < .06 else (sy, di), pu=R.randint(56, 118), o2=None if R.random() < .09 else min(100, round(R.gauss(95.5, 2.3))),
                         n=R.choices(nur, [5, 3, 3, 2])[0], note=R.choices(["", "patient asleep", "after walking, short of breath", "cuff replaced", "refused meal"], [60, 12, 10, 8, 10])[0]))
    rows[97]["o2"] = 85
    b = io.StringIO()
    w = csv.writer(b, lineterminator="\n")
    w.writerow(["Patient", "Taken at", "Temp", "BP (mmHg)", "Pulse", "SpO2", "Nurse", "Note"])
    for r in rows:
        w.writerow([r["p"], r["t"].strftime("%Y-%m-%d %H:%M"), r["ts"], f"{r['bp'][0]}/{r['bp'][1]}" if r["bp"] else R.choice(["", "n/a"]), r["pu"], f"{r['o2']}%" if r["o2"] is not None else "", r["n"], r["note"]])
    save(f, b.getvalue())
    ask(f, "fever", "How many readings show a fever, meaning 38 °C or higher?", [sum(r["tc"] is not None and r["tc"] >= 38 for r in rows)])
    ask(f, "lowest oxygen", "Which patient had the lowest oxygen saturation?", [best([r for r in rows if r["o2"] is not None], lambda r: r["o2"], low=True)["p"]])
    ask(f, "systolic", "how many times was the upper blood pressure value above 150?", [sum(bool(r["bp"]) and r["bp"][0] > 150 for r in rows)])
    ask(f, "no spo2", "In how many readings did we forget the SpO2?", [sum(r["o2"] is None for r in rows)])
    ask(f, "most readings", "Which nurse took the most readings, and how many?", topn(Counter(r["n"] for r in rows), 1))
    ask(f, "night", "How many readings were taken at night, between 22:00 and 06:00?", [sum(r["t"].hour >= 22 or r["t"].hour < 6 for r in rows)])
    ask(f, "paracetamol", "What dose of paracetamol was P-103 given?", None)

# ---------------------------------------------------------------- 8 sensors
def sensors():
    R = random.Random(1508)
    f = "sensors.jsonl"
    dev = {"esp-01": ("Kitchen", "1.2"), "esp-02": ("Bedroom", "1.4"), "esp-03": ("Cellar", "1.4"), "esp-04": ("Attic", "1.3"), "esp-05": ("Kitchen", "1.4")}
    base = {"Kitchen": 23, "Bedroom": 20, "Cellar": 14, "Attic": 28}
    bat = dict(zip(dev, [880, 610, 330, 270, 740]))
    t = datetime(2024, 7, 1, 0, 4)
    rows, L = [], []
    for i in range(210):
        t += timedelta(minutes=R.randint(5, 50))
        d = R.choices(list(dev), [20, 25, 30, 22, 18])[0]
        room, fw = dev[d]
        bat[d] -= R.randint(0, 7)
        T = round(R.gauss(base[room] * 10, 17))
        H = R.randint(38, 66) + (15 if room == "Cellar" else 0)
        T = None if R.random() < .07 else T
        H = None if R.random() < .05 else H
        o = {"time": t.strftime("%Y-%m-%dT%H:%M:00"), "device": {"id": d, "fw": fw}, "room": room}
        if T is not None: o["temp_c"] = T / 10
        elif R.random() < .5: o["temp_c"] = None
        if H is not None: o["humidity"] = H
        o["battery"] = f"{bat[d]//10}%"
        if R.random() < .1: o["tags"] = R.sample(["window open", "manual", "retry"], R.randint(1, 2))
        L.append(json.dumps(o, ensure_ascii=False))
        rows.append(dict(t=t, d=d, fw=fw, room=room, T=T, H=H, b=bat[d] // 10, tags=o.get("tags", [])))
    save(f, "\n".join(L) + "\n")
    tt = [r for r in rows if r["T"] is not None]
    ask(f, "hottest", "Which room reached the highest temperature?", [best(tt, lambda r: r["T"])["room"]])
    g = defaultdict(list)
    for r in rows:
        if r["H"] is not None: g[r["room"]].append(r["H"])
    ask(f, "humidity per room", "average humidity by room", [[k, num(mean(v))] for k, v in g.items()])
    ask(f, "no temperature", "how many readings have no temperature?", [sum(r["T"] is None for r in rows)])
    low = sorted({r["d"] for r in rows if r["b"] < 20})
    assert 0 < len(low) < 5
    ask(f, "low battery", "Which devices dropped below 20 % battery at some point?", low)
    ask(f, "bedroom 3 july", "What was the lowest temperature in the bedroom on 3 July 2024?", [num(F(min(r["T"] for r in tt if r["room"] == "Bedroom" and r["t"].date() == date(2024, 7, 3)), 10))])
    ask(f, "esp-03 messungen", "Wie viele Messungen stammen von esp-03?", [sum(r["d"] == "esp-03" for r in rows)])
    m = lambda k: mean([F(r["T"], 10) for r in tt if r["room"] == k])
    ask(f, "kitchen vs cellar", "How many degrees warmer is the kitchen than the cellar on average?", [num(m("Kitchen") - m("Cellar"))])

# ---------------------------------------------------------------- 9 members
def members():
    R = random.Random(1509)
    f = "members.csv"
    last = ["Ashworth", "Begum", "Carter", "Doyle", "Fraser", "Greenwood", "Hussain", "Jagger", "Kerr", "Lomax", "Metcalfe", "Naylor", "Ogden", "Priestley", "Shaw", "Thackray", "Umar", "Wainwright"]
    first = ["Alan", "Brenda", "Colin", "Denise", "Eric", "Farah", "Graham", "Hilary", "Ian", "Joan", "Keith", "Lorna", "Maureen", "Nigel", "Olive", "Pauline", "Rashid", "Sheila"]
    names = set()
    while len(names) < 72: names.add(f"{R.choice(last)}, {R.choice(first)}")
    rows = []
    used = set()
    for n in sorted(names):
        while True:
            d = date(2009, 1, 1) + timedelta(days=R.randint(0, 5500))
            if d not in used: used.add(d); break
        town = R.choices(["Leeds", "Otley", "Ilkley", "Bradford", "Shipley"], [30, 15, 12, 20, 10])[0]
        l, fn = n.split(", ")
        em = "" if R.random() < .16 else f"{fn.lower()}.{l.lower()}@{R.choices(['gmail.com','btinternet.com','yahoo.co.uk','outlook.com'],[45,20,20,15])[0]}"
        rows.append(dict(n=n, d=d, town=town, em=em, fee=R.choices([2500, 1250, 4000], [60, 25, 15])[0], paid=R.random() > .2))
    b = io.StringIO()
    w = csv.writer(b, lineterminator="\n")
    w.writerow(["Name", "Member since", "Town", "E-mail", "Annual fee", "Paid?"])
    for r in rows:
        d = r["d"]
        r["ds"] = R.choice([d.isoformat(), f"{d.day} " + d.strftime("%b %Y"), d.strftime("%B ") + f"{d.day}, {d.year}"])
        tw = r["town"] if R.random() > .15 else R.choice([r["town"].upper(), r["town"].lower(), r["town"] + " "])
        w.writerow([r["n"], r["ds"], tw, r["em"], "£" + cents(r["fee"]), R.choice(["yes", "Yes", "yes"]) if r["paid"] else R.choice(["no", "No"])])
    save(f, b.getvalue())
    ask(f, "not paid", "Who still hasn't paid?", [r["n"] for r in rows if not r["paid"]])
    ask(f, "owed", "How much money is outstanding from members who haven't paid?", [cents(sum(r["fee"] for r in rows if not r["paid"]))])
    ask(f, "joined 2018", "how many people joined in 2018?", [sum(r["d"].year == 2018 for r in rows)])
    ask(f, "longest", "Who has been with us the longest?", [best(rows, lambda r: r["d"], low=True)["n"]])
    ask(f, "gmail", "how many are on gmail", [sum("@gmail." in r["em"] for r in rows)])
    ask(f, "leeds", "How many members live in Leeds?", [sum(r["town"] == "Leeds" for r in rows)])
    ask(f, "age", "What's the average age of our members?", None)

# ---------------------------------------------------------------- 10 auth.log
def authlog():
    R = random.Random(1510)
    f = "auth.log"
    bad = [f"{R.choice([45,61,103,141,185,218])}.{R.randint(2,250)}.{R.randint(2,250)}.{R.randint(2,250)}" for _ in range(14)]
    inv = ["admin", "oracle", "test", "ubuntu", "postgres", "pi", "guest", "ftpuser", "minecraft"]
    good = ["deploy", "marta", "backup", "jonas"]
    t = datetime(2024, 11, 3, 6, 25, 1)
    rows, L = [], []
    stamp = lambda t: t.strftime("%b ") + f"{t.day:2d}" + t.strftime(" %H:%M:%S")
    while t < datetime(2024, 11, 6, 21, 0):
        t += timedelta(seconds=R.randint(20, 1900))
        h = R.choices(["web1", "web2", "db1"], [45, 35, 20])[0]
        pid, port = R.randint(700, 32000), R.randint(20000, 64000)
        x = R.random()
        if x < .62:
            ip = R.choices(bad, [18, 11] + [4] * 12)[0]
            k = R.choices(["root", "inv", "real"], [38, 50, 12])[0]
            u = "root" if k == "root" else R.choice(inv if k == "inv" else good)
            s = f"sshd[{pid}]: Failed password for {'invalid user ' if k == 'inv' else ''}{u} from {ip} port {port} ssh2"
            rows.append(dict(t=t, h=h, ev="fail", u=u, k=k, ip=ip))
        elif x < .78:
            u = R.choices(good[:3] , [6, 3, 3])[0]
            ip = "10.0.0." + str(R.randint(5, 20))
            s = f"sshd[{pid}]: Accepted publickey for {u} from {ip} port {port} ssh2: ED25519 SHA256:{R.randrange(16**10):010x}"
            rows.append(dict(t=t, h=h, ev="ok", u=u, k="", ip=ip))
        elif x < .9:
            s = f"CRON[{pid}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)"
            rows.append(dict(t=t, h=h, ev="cron", u="root", k="", ip=""))
        else:
            u = R.choice(good[:2])
            s = f"sudo: {u:>8} : TTY=pts/0 ; PWD=/home/{u} ; USER=root ; COMMAND=/usr/bin/{R.choice(['systemctl restart nginx','apt update','tail -f /var/log/syslog'])}"
            rows.append(dict(t=t, h=h, ev="sudo", u=u, k="", ip=""))
        L.append(f"{stamp(t)} {h} {s}")
    save(f, "\n".join(L) + "\n")
    fl = [r for r in rows if r["ev"] == "fail"]
    ask(f, "failed", "How many failed password attempts are in here?", [len(fl)])
    ask(f, "worst ip", "Which address had the most failed passwords, and how many?", topn(Counter(r["ip"] for r in fl), 1))
    ask(f, "root fails", "how many failed passwords for root", [sum(r["u"] == "root" for r in fl)])
    ask(f, "accepted users", "Which users got in with a public key?", sorted({r["u"] for r in rows if r["ev"] == "ok"}))
    ask(f, "fails nov 4", "failed password attempts on Nov 4?", [sum(r["t"].day == 4 for r in fl)])
    ask(f, "invalid users", "How many failed attempts were for invalid users?", [sum(r["k"] == "inv" for r in fl)])
    ask(f, "country", "Which country do the attackers sit in?", None)

# ---------------------------------------------------------------- 11 inventory
def inventory():
    R = random.Random(1511)
    f = "inventory.tsv"
    items = ["Basmati rice", "Red lentils", "Olive oil", "Sea salt", "Brown sugar", "Plain flour", "Rye flour", "Oat flakes", "Chickpeas", "Black beans", "Tomato passata", "Peanut butter", "Honey, raw", "Maple syrup", "Green tea", "Earl Grey", "Coffee beans", "Ground coffee", "Dark chocolate 70%", "Almonds", "Walnuts", "Cashews", "Raisins", "Dried figs", "Soy sauce", "Rice vinegar", "Tahini", "Couscous", "Bulgur", "Quinoa", "Spaghetti", "Penne", "Lasagne sheets", "Coconut milk", "Curry paste", "Paprika", "Cumin", "Cinnamon sticks", "Vanilla pods", "Bay leaves", "Yeast", "Baking soda", "Cocoa powder", "Dish soap", "Washing powder", "Beeswax candles"]
    sup = ["Greenfield Foods", "Harbour Imports", "Mill & Co", "Suma"]
    rows = []
    wts = R.sample([g for g in range(20, 480, 5)] + [550, 600, 700, 750, 800, 900] + [1000, 1100, 1250, 1500, 1800, 2000, 2200, 2500, 3000, 4500], len(items))
    for i, n in enumerate(items):
        ro = R.choice([4, 5, 6, 8, 10, 12])
        oh = None if R.random() < .06 else (0 if R.random() < .09 else R.randint(1, 60))
        rows.append(dict(sku=f"GS-{101+i}", n=n, s=R.choices(sup, [5, 4, 3, 3])[0], oh=oh, ro=ro, p=R.randint(80, 1900), g=wts[i], d=date(2024, 1, 8) + timedelta(days=R.randint(0, 150))))
    L = ["SKU\tItem\tSupplier\tOn hand\tReorder below\tUnit price\tWeight\tLast counted"]
    for r in rows:
        g = r["g"]
        wt = f"{g} g" if g < 1000 else f"{D(g).scaleb(-3).normalize():f} kg"
        L.append("\t".join([r["sku"], r["n"], r["s"], "" if r["oh"] is None else str(r["oh"]), str(r["ro"]), "£" + cents(r["p"]), wt, r["d"].strftime("%d-%b-%Y")]))
    save(f, "\n".join(L) + "\n")
    k = [r for r in rows if r["oh"] is not None]
    ask(f, "reorder", "Which items have fallen below their reorder level?", [r["n"] for r in k if r["oh"] < r["ro"]])
    ask(f, "stock value", "What is the stock on hand worth in total, at unit price?", [cents(sum(r["oh"] * r["p"] for r in k))])
    ask(f, "heaviest", "whats the heaviest thing we sell", [best(rows, lambda r: r["g"])["n"]])
    ask(f, "under half a kilo", "How many products weigh less than half a kilo?", [sum(r["g"] < 500 for r in rows)])
    ask(f, "out of stock", "What are we completely out of?", [r["n"] for r in k if r["oh"] == 0])
    ask(f, "not counted since march", "How many items were last counted before March 2024?", [sum(r["d"] < date(2024, 3, 1) for r in rows)])
    ask(f, "dearest mill", "most expensive item from Mill & Co?", [best([r for r in rows if r["s"] == "Mill & Co"], lambda r: r["p"])["n"]])

# ---------------------------------------------------------------- 12 stundenzettel
def stunden():
    R = random.Random(1512)
    f = "stundenzettel.csv"
    ma = ["Jana Petersen", "Kemal Aydın", "Sophie Größl", "Dirk Wünsche"]
    pr = ["Relaunch", "Wartung", "Messestand", "intern"]
    rows = []
    d = date(2024, 4, 1)
    while d < date(2024, 6, 1):
        if d.weekday() < 5:
            for m in ma:
                if R.random() < .8:
                    for _ in range(R.choice([1, 1, 2])):
                        mi = R.choice([15, 20, 30, 45, 75, 90, 120, 150, 180, 210, 240, 270, 300, 330, 360, 420, 450])
                        rows.append(dict(m=m, d=d, p=R.choices(pr, [40, 25, 20, 15])[0], mi=mi, o=R.choices(["Büro", "Homeoffice", "beim Kunden"], [50, 35, 15])[0], b=R.choices(["", "Telefonat; Rückfragen", "Abstimmung", "Fehlerbehebung", "Workshop"], [60, 10, 12, 10, 8])[0]))
        d += timedelta(days=1)
    rows[R.randrange(60, len(rows))]["mi"] = 555
    b = io.StringIO()
    w = csv.writer(b, delimiter=";", lineterminator="\r\n")
    w.writerow(["Mitarbeiter/in", "Datum", "Projekt", "Dauer", "Ort", "Bemerkung"])
    for r in rows:
        mi = r["mi"]
        h = f"{D(mi) / 60:.2f}".rstrip("0").rstrip(".").replace(".", ",") + " h"
        t = f"{mi} min" if mi < 60 or (mi <= 120 and R.random() < .6) else h
        w.writerow([r["m"], r["d"].strftime("%d.%m.%y"), r["p"], t, r["o"], r["b"]])
    save(f, b.getvalue())
    H = lambda c: num(F(sum(r["mi"] for r in rows if c(r)), 60))
    ask(f, "jana stunden", "Wie viele Stunden hat Jana Petersen insgesamt aufgeschrieben?", [H(lambda r: r["m"] == "Jana Petersen")])
    ask(f, "stunden je projekt", "Stunden je Projekt", [[p, H(lambda r: r["p"] == p)] for p in pr])
    ask(f, "homeoffice", "Wer hat die meisten Einträge aus dem Homeoffice?", [topn(Counter(r["m"] for r in rows if r["o"] == "Homeoffice"), 1)[0][0]])
    ask(f, "tage messestand", "An wie vielen verschiedenen Tagen wurde am Messestand gearbeitet?", [len({r["d"] for r in rows if r["p"] == "Messestand"})])
    ask(f, "längster eintrag", "wer hat den längsten einzelnen eintrag", [best(rows, lambda r: r["mi"])["m"]])
    ask(f, "unter einer stunde", "Wie viele Einträge sind kürzer als eine Stunde?", [sum(r["mi"] < 60 for r in rows)])
    ask(f, "kosten relaunch", "Was hat uns der Relaunch in Euro gekostet?", None)

# ---------------------------------------------------------------- 13 marathon
def marathon():
    R = random.Random(1513)
    f = "marathon.txt"
    fm = ["Paul", "Stefan", "Luca", "Erik", "Dmitri", "Oscar", "Henry", "Jack"]
    ff = ["Claire", "Ruth", "Nadia", "Emma", "Sofia", "Kate", "Yara", "Helen"]
    la = ["Marsh", "Bell", "Quinn", "Ferrari", "Lindholm", "Abbott", "Tan", "Okafor", "Reyes", "Stone", "Varga", "Wood"]
    clubs = ["Riverside RC", "Hill Harriers", "City AC", ""]
    names = set(); rows = []; used = set()
    bibs = sorted(R.sample(range(1, 400), 96))
    for b in bibs:
        while True:
            sex = R.choice("MW"); n = f"{R.choice(fm if sex == 'M' else ff)} {R.choice(la)}"
            if n not in names: names.add(n); break
        while True:
            s = round(R.gauss(13800 if sex == "M" else 14900, 1900))
            if s not in used and s > 8600 and s != 12600: used.add(s); break
        dnf = R.random() < .09
        rows.append(dict(b=b, n=n, sex=sex, cat=sex + R.choice(["20", "30", "40", "50"]), c=R.choices(clubs, [30, 25, 20, 25])[0], s=None if dnf else s))
    fin = [r for r in rows if r["s"]]
    if len(fin) % 2 == 0:
        fin[-1]["s"] = None; fin = [r for r in rows if r["s"]]
    hms = lambda s: f"{s//3600}:{s%3600//60:02d}:{s%60:02d}"
    L = ["Riverside Marathon, 6 October 2024 - results by start number", "", f"{'Bib':>4}  {'Name':<18}{'Cat':<6}{'Club':<16}{'Time':>8}", f"{'-'*4}  {'-'*16}  {'-'*4}  {'-'*14}  {'-'*8}"]
    for r in rows:
        L.append(f"{r['b']:>4}  {r['n']:<18}{r['cat']:<6}{(r['c'] or '-'):<16}{(hms(r['s']) if r['s'] else 'DNF'):>8}")
    save(f, "\n".join(L) + "\n")
    ask(f, "winner", "Who won the race overall?", [best(fin, lambda r: r["s"], low=True)["n"]])
    ask(f, "dnf", "How many runners did not finish?", [sum(r["s"] is None for r in rows)])
    ask(f, "under 3:30", "how many finished in under three and a half hours", [sum(r["s"] < 12600 for r in fin)])
    ask(f, "fastest woman", "Who was the fastest woman, and in what time?", [(lambda r: [r["n"], hms(r["s"])])(best([r for r in fin if r["sex"] == "W"], lambda r: r["s"], low=True))])
    m40 = sorted([r for r in fin if r["cat"] == "M40"], key=lambda r: r["s"])[:3]
    ask(f, "m40 podium", "The three fastest in category M40, with their times", [[r["n"], hms(r["s"])] for r in m40])
    ask(f, "starters per category", "starters per category", [[a, b] for a, b in sorted(Counter(r["cat"] for r in rows).items())])
    ask(f, "half split", "Who was in the lead at the halfway mark?", None)

# ---------------------------------------------------------------- 14 survey
def survey():
    R = random.Random(1514)
    f = "canteen_survey.csv"
    com = ["", "", "", "The queue is far too long", "more vegan options please", "Love the soup!", "queue at noon, every day", "Too expensive, and cold", "Coffee machine broken again", "fine", "Queues and noise"]
    rows = []
    t = datetime(2024, 3, 13, 8, 4, 11)
    for i in range(138):
        t += timedelta(minutes=R.randint(2, 95), seconds=R.randint(0, 59))
        ways = R.choices([["Walk"], ["Bus"], ["Bike"], ["Car"], ["Bus", "Bike"], ["Walk", "Bus"], ["Bike", "Car"]], [20, 26, 20, 8, 10, 9, 5])[0]
        sp = None if R.random() < .08 else R.choice([250, 300, 350, 400, 420, 450, 500, 550, 600, 650, 700, 800, 950])
        rows.append(dict(t=t, age=None if R.random() < .1 else R.randint(18, 34), w=ways, s=None if R.random() < .05 else R.choices([1, 2, 3, 4, 5], [8, 18, 30, 30, 14])[0], sp=sp, c=R.choice(com)))
    b = io.StringIO()
    w = csv.writer(b, lineterminator="\n", quoting=csv.QUOTE_ALL)
    w.writerow(["Timestamp", "How old are you?", "How do you get to campus? (tick all that apply)", "How happy are you with the canteen? (1 = not at all, 5 = very)", "What do you usually spend on lunch?", "Anything else?"])
    for r in rows:
        x = None if r["sp"] is None else (cents(r["sp"]) if r["sp"] % 100 else str(r["sp"] // 100))
        w.writerow([f"{r['t'].month}/{r['t'].day}/{r['t'].year} {r['t'].hour}:{r['t'].minute:02d}:{r['t'].second:02d}", r["age"] if r["age"] else "prefer not to say", ", ".join(r["w"]), r["s"] if r["s"] else "", "" if x is None else R.choice(["€" + x, x + " €", x + " EUR"]), r["c"]])
    save(f, b.getvalue())
    sat = [r for r in rows if r["s"]]
    ask(f, "bike", "How many people ticked bike, whether or not they ticked something else too?", [sum("Bike" in r["w"] for r in rows)])
    ask(f, "mean satisfaction", "What's the average happiness score for the canteen?", [num(mean([r["s"] for r in sat]))])
    ask(f, "unhappy share", "What percentage of those who gave a score gave a 1 or a 2?", [num(F(100 * sum(r["s"] <= 2 for r in sat), len(sat))) + "%"])
    ask(f, "median lunch", "median lunch spend?", [num(F(median([F(r["sp"]) for r in rows if r["sp"]]), 100))])
    ask(f, "queue", "how many comments complain about the queue (or queues)", [sum("queue" in r["c"].lower() for r in rows)])
    ask(f, "march 14", "How many answers came in on March 14?", [sum(r["t"].date() == date(2024, 3, 14) for r in rows)])
    ask(f, "walk vs bus", "How happy are those who only walk compared with those who only take the bus, on average?", [[k, num(mean([r["s"] for r in sat if r["w"] == [k]]))] for k in ("Walk", "Bus")])


def everything():
    for make in (kassenbuch, grades, applog, access, bestellungen, expenses, vitals, sensors, members, authlog, inventory, stunden, marathon, survey):
        make()

"""The first files of the eleventh batch and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv
import io
import json
import os
import random
from collections import Counter, OrderedDict
from datetime import date, datetime, timedelta
from decimal import Decimal, ROUND_HALF_UP
from fractions import Fraction
from statistics import median

import common

OUT = common.FILES / "eleven"
OUT.mkdir(parents=True, exist_ok=True)


def write(name, text, bom=False):
    with open(os.path.join(OUT, name), "w", encoding="utf-8-sig" if bom else "utf-8", newline="") as f:
        f.write(text)


def q(file, phrase, question, rows):
    if rows is not None:
        assert rows and all(isinstance(c, str) and c for r in rows for c in r), (phrase, rows)
    common.one(f"eleven/{file}", "batch 11", rows, question)


def num(x, places=2):
    """A number as text, rounded half up to at most `places` decimals, no trailing zeros."""
    if isinstance(x, int):
        return str(x)
    f = x if isinstance(x, Fraction) else Fraction(x)
    d = (Decimal(f.numerator) / Decimal(f.denominator)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    s = format(d, "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


def money(cents):
    return "%s%d.%02d" % ("-" if cents < 0 else "", abs(cents) // 100, abs(cents) % 100)


def moneyavg(cents_list):
    c = Fraction(sum(cents_list), len(cents_list))
    d = (Decimal(c.numerator) / Decimal(c.denominator) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return format(d, "f")


def top(pairs, n=1):
    """The n largest of (key, value), asserting that no tie touches the answer."""
    s = sorted(pairs, key=lambda kv: -kv[1])
    for i in range(min(n, len(s) - 1)):
        assert s[i][1] > s[i + 1][1], ("tie", s[: n + 1])
    return s[:n]


def avg(v):
    v = list(v)
    return Fraction(sum(v), len(v)) if all(isinstance(x, int) for x in v) else sum(map(Fraction, v)) / len(v)


def one(x):
    return [[x]]


def lst(xs):
    return [[x] for x in xs]


def csvtext(rows, delimiter=",", eol="\n"):
    b = io.StringIO()
    csv.writer(b, delimiter=delimiter, lineterminator=eol).writerows(rows)
    return b.getvalue()


def de(cents, group=True):
    a, b = divmod(abs(cents), 100)
    s = f"{a:,}".replace(",", ".") if group else str(a)
    return ("-" if cents < 0 else "") + s + ",%02d" % b


# ------------------------------------------------------------------ 1 club cash book (German)
def kassenbuch():
    F = "kassenbuch_2024.csv"
    R = random.Random(1101)
    members = ["Albers, Heike", "Brandt, Thomas", "Czerny, Paul", "Dietz, Sabine", "Engel, Mia", "Fuchs, Rainer",
               "Götz, Anneliese", "Hübner, Lars", "Jansen, Okka", "Köhler, Jürgen", "Lorenz, Britta", "Müller, Jens",
               "Nowak, Ewa", "Öztürk, Cem", "Peters, Grit"]
    rows = []
    for _ in range(170):
        d = date(2024, 1, 1) + timedelta(days=R.randrange(366))
        k = R.choices(["Mitgliedsbeitrag", "Spende", "Hallenmiete", "Trikots", "Getränke", "Startgelder", "Fahrtkosten"],
                      [50, 22, 14, 9, 24, 16, 22])[0]
        ein = aus = None
        name = note = ""
        if k == "Mitgliedsbeitrag":
            ein = R.choice([6000, 9600, 12000]); name = R.choice(members); note = R.choice(["", "", "Jahresbeitrag", "Familie"])
        elif k == "Spende":
            ein = R.choice([2500, 5000, 7550, 10000, 15000, 20000, 50000, 125000]); name = R.choice(members)
            note = R.choice(["", "Quittung erstellt", "für die Jugend"])
        elif k == "Hallenmiete":
            aus = R.choice([41250, 41250, 38500]); name = "Stadt Lemgo"; note = R.choice(["", "Halle 2", "inkl. Reinigung"])
        elif k == "Trikots":
            aus = R.randrange(8000, 140000); name = "Sport Böhmer"
        elif k == "Getränke":
            if R.random() < .45:
                ein = R.randrange(1500, 22000); note = "Verkauf Heimspiel"
            else:
                aus = R.randrange(2500, 18000); name = "Getränke Wulf"; note = R.choice(["", "Pfand offen"])
        elif k == "Startgelder":
            aus = R.choice([3500, 6000, 7500, 9000]); name = "Verband"
        else:
            aus = R.randrange(900, 14500); name = R.choice(members); note = R.choice(["", "Auswärtsspiel", "Bus; Anteil"])
        zahl = R.choices(["bar", "Bar", "Überweisung", "Lastschrift", ""], [30, 6, 70, 30, 4])[0]
        rows.append(dict(d=d, k=k, name=name, ein=ein, aus=aus, zahl=zahl, note=note))
    rows.sort(key=lambda r: r["d"])
    for i, r in enumerate(rows, 1):
        r["nr"] = "B-%03d" % i
    out = [["Datum", "Beleg-Nr.", "Kategorie", "Name", "Einnahme", "Ausgabe", "Zahlart", "Bemerkung"]]
    for r in rows:
        out.append([r["d"].strftime("%d.%m.%Y"), r["nr"], r["k"] + (" " if R.random() < .04 else ""), r["name"],
                    de(r["ein"]) if r["ein"] is not None else "", de(r["aus"]) if r["aus"] is not None else "",
                    r["zahl"], r["note"]])
    write(F, csvtext(out, ";", "\r\n"))
    sp = [r for r in rows if r["k"] == "Spende"]
    q(F, "spenden-gesamt", "Wie viel haben wir 2024 insgesamt an Spenden eingenommen?", one(money(sum(r["ein"] for r in sp))))
    q(F, "hallenmiete", "was hat uns die hallenmiete im ganzen jahr gekostet",
      one(money(sum(r["aus"] for r in rows if r["k"] == "Hallenmiete"))))
    q(F, "bar", "Wie viele Buchungen liefen bar?", one(num(sum(r["zahl"].lower() == "bar" for r in rows))))
    c = Counter()
    for r in sp:
        c[r["name"]] += r["ein"]
    q(F, "groesster-spender", "Wer hat übers Jahr zusammengerechnet am meisten gespendet?", one(top(c.items())[0][0]))
    q(F, "ueberschuss", "Einnahmen minus Ausgaben 2024 – was kommt da raus?",
      one(money(sum(r["ein"] or 0 for r in rows) - sum(r["aus"] or 0 for r in rows))))
    c = Counter()
    for r in rows:
        if r["aus"]:
            c[r["k"]] += r["aus"]
    q(F, "top3-ausgaben", "Die drei Kategorien mit den höchsten Ausgaben, bitte mit Betrag.",
      [[k, money(v)] for k, v in top(c.items(), 3)])
    miss = [r["nr"] for r in rows if not r["zahl"]]
    assert 2 <= len(miss) <= 8
    q(F, "zahlart-fehlt", "Bei welchen Belegen wurde vergessen, die Zahlart einzutragen?", lst(miss))
    q(F, "kontostand", "Wie hoch war der Kontostand auf dem Vereinskonto am 1. Januar?", None)


# ------------------------------------------------------------------ 2 nginx access log
def access():
    F = "access.log"
    R = random.Random(1102)
    ips = ["198.51.100.%d" % R.randrange(2, 250) for _ in range(14)] + ["203.0.113.77", "192.0.2.14", "2001:db8::5a"]
    w = [R.randrange(2, 12) for _ in ips[:14]] + [30, 18, 4]
    paths = ["/", "/shop", "/shop/boots", "/shop/jackets", "/cart", "/contact", "/downloads/catalog.pdf", "/favicon.ico",
             "/wp-login.php", "/login", "/api/search"]
    pw = [60, 45, 30, 22, 18, 8, 15, 20, 14, 26, 12]
    uas = ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36",
           "Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.3 Mobile/15E148 Safari/604.1",
           "Mozilla/5.0 (X11; Linux x86_64; rv:123.0) Gecko/20100101 Firefox/123.0",
           "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "curl/8.5.0"]
    t0 = datetime(2025, 3, 12, 6, 0, 0)
    secs = sorted(R.sample(range(16 * 3600), 340))
    rows = []
    for s in secs:
        p = R.choices(paths, pw)[0]
        m, st = "GET", 200
        if p == "/login":
            m = R.choice(["GET", "POST", "POST"])
            if m == "POST":
                st = R.choice([302, 302, 401])
        elif p == "/wp-login.php":
            st = 404
        elif p == "/favicon.ico":
            st = R.choice([200, 304])
        elif p == "/api/search":
            st = R.choice([200, 200, 200, 500, 502])
        elif R.random() < .06:
            st = R.choice([404, 304, 499])
        b = {304: 0, 404: 153, 401: 412, 302: 0, 500: 177, 502: 157, 499: 0}.get(st)
        if b is None:
            b = 4183220 if p.endswith(".pdf") else R.randrange(900, 48000)
        rows.append(dict(t=t0 + timedelta(seconds=s), ip=R.choices(ips, w)[0], m=m, p=p, st=st, b=b,
                         ref=R.choice(["-", "-", "https://www.google.com/", "https://example.org/shop"]),
                         ua=R.choices(uas, [40, 30, 14, 9, 7])[0]))
    write(F, "".join('%s - - [%s +0100] "%s %s HTTP/1.1" %d %d "%s" "%s"\n' % (
        r["ip"], r["t"].strftime("%d/%b/%Y:%H:%M:%S"), r["m"], r["p"], r["st"], r["b"], r["ref"], r["ua"]) for r in rows))
    q(F, "404s", "how many requests got a 404", one(num(sum(r["st"] == 404 for r in rows))))
    q(F, "busiest-ip", "Which IP address hit us the most?", one(top(Counter(r["ip"] for r in rows).items())[0][0]))
    assert not any((r["t"].hour, r["t"].minute, r["t"].second) == (11, 0, 0) for r in rows)
    q(F, "ten-to-eleven", "How many requests came in between 10:00 and 11:00?", one(num(sum(r["t"].hour == 10 for r in rows))))
    q(F, "top3-pages", "top 3 requested urls with number of hits",
      [[k, num(v)] for k, v in top(Counter(r["p"] for r in rows).items(), 3)])
    q(F, "catalog-bytes", "How many bytes did we send out for the catalog pdf in total?",
      one(num(sum(r["b"] for r in rows if r["p"].endswith("catalog.pdf")))))
    q(F, "server-errors", "Wie viele Serverfehler (5xx) gab es?", one(num(sum(r["st"] >= 500 for r in rows))))
    q(F, "login-401", "how many failed logins (POST to /login answered with 401)?",
      one(num(sum(r["p"] == "/login" and r["m"] == "POST" and r["st"] == 401 for r in rows))))
    q(F, "iphone", "How many requests were made from an iPhone?", one(num(sum("iPhone" in r["ua"] for r in rows))))
    q(F, "average-wait", "How long did visitors have to wait for a page on average?", None)


# ------------------------------------------------------------------ 3 Markdown class list
def grades():
    F = "class_8b" ".md"
    R = random.Random(1103)
    names = ["Amelia Hart", "Ben Okafor", "Chloe Dunn", "Daniel Reyes", "Eva Lindqvist", "Farid Haddad", "Grace Liu",
             "Henry Walsh", "Isla McKay", "Jonas Weber", "Keira Bell", "Liam O'Neill", "Maya Patel", "Noah Fischer",
             "Olivia Grant", "Pavel Novak", "Quinn Foster", "Rosa Delgado", "Sam Whitaker", "Tara Singh", "Umar Aziz",
             "Vera Kowalski", "Will Brooks", "Xenia Popov", "Yusuf Demir", "Zoe Carter"]
    while True:
        rows = []
        for n in names:
            sc = {s: (None if R.random() < .07 else max(28, min(99, int(R.gauss(72, 16))))) for s in ("math", "eng", "sci")}
            rows.append(dict(n=n, absn=R.choice([0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 9]),
                             rem=R.choice(["", "", "", "", "extra time", "new in March", "changes seat, front row"]), **sc))
        ok = 2 <= sum(r["sci"] is None for r in rows) <= 4 and 2 <= sum(r["eng"] is not None and r["eng"] < 50 for r in rows) <= 6
        ok &= sum(r["math"] is None for r in rows) >= 1
        a = sorted((r["absn"] for r in rows), reverse=True)
        e = sorted((r["eng"] for r in rows if r["eng"] is not None), reverse=True)
        ok &= a[0] > a[1] and e[0] > e[1] > e[2] > e[3]
        if ok:
            break
    t = "# Class 8b – spring term\n\nTest results in points out of 100. A dash means the pupil missed the test.\n\n"
    t += "| Pupil | Math | English | Science | Days absent | Remarks |\n|:------|-----:|-----:|-----:|----:|:----|\n"
    for r in rows:
        c = lambda v: "–" if v is None else str(v)
        t += "| %s | %s | %s | %s | %d | %s |\n" % (r["n"], c(r["math"]), c(r["eng"]), c(r["sci"]), r["absn"], r["rem"])
    write(F, t)
    has = lambda s: [r for r in rows if r[s] is not None]
    q(F, "math-average", "What is the class average in maths?", one(num(avg(r["math"] for r in has("math")))))
    q(F, "english-below-50", "Who scored under 50 in English?", lst([r["n"] for r in has("eng") if r["eng"] < 50]))
    q(F, "missed-science", "Which kids still have to sit the science test because they missed it?",
      lst([r["n"] for r in rows if r["sci"] is None]))
    q(F, "most-absent", "who has missed the most days of school?", one(top([(r["n"], r["absn"]) for r in rows])[0][0]))
    q(F, "science-median", "median science mark please", one(num(Fraction(median(r["sci"] for r in has("sci"))))))
    q(F, "english-top3", "Best three in English with their points",
      [[n, num(v)] for n, v in top([(r["n"], r["eng"]) for r in has("eng")], 3)])
    q(F, "never-absent", "Wie viele Schüler haben keinen einzigen Tag gefehlt?", one(num(sum(r["absn"] == 0 for r in rows))))
    both = [r["n"] for r in rows if r["math"] is not None and r["sci"] is not None and r["math"] >= 80 and r["sci"] >= 80]
    assert both
    q(F, "math-and-science-80", "Which pupils got at least 80 in both maths and science?", lst(both))


# ------------------------------------------------------------------ 4 logfmt worker log
def worker():
    F = "worker.log"
    R = random.Random(1104)
    jobs = ["thumbnail", "invoice-pdf", "send-mail", "import-feed", "cleanup"]
    t = datetime(2025, 2, 3, 7, 58, 4)
    rows = []
    used = set()
    for i in range(260):
        t += timedelta(seconds=R.randrange(5, 260))
        j = R.choices(jobs, [40, 22, 34, 12, 9])[0]
        base = {"thumbnail": 320, "invoice-pdf": 1400, "send-mail": 600, "import-feed": 9000, "cleanup": 2500}[j]
        while True:
            ms = max(15, int(base * R.lognormvariate(0, .6)))
            style = "ms" if ms < 1000 else R.choice(["s", "s", "ms"])
            if style == "s":
                ms = ms // 100 * 100
            if ms not in used and ms != 2000:
                break
        used.add(ms)
        ds = f"{ms}ms" if style == "ms" else (f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms // 1000}.{ms % 1000 // 100}s")
        att = R.choices([1, 2, 3], [85, 11, 4])[0]
        err = None
        if R.random() < {"import-feed": .3, "send-mail": .14}.get(j, .05):
            err = R.choices(["connection refused", "timed out", "bad response: 503", "disk full"], [5, 9, 3, 1])[0]
            att = 3
        if R.random() < .03:
            ms, ds = None, None
        rows.append(dict(t=t, j=j, id="j%05d" % (40117 + i * 3), ms=ms, ds=ds, att=att, err=err, lvl="error" if err else ("warn" if att > 1 else "info")))
    out = ""
    for r in rows:
        out += "ts=%sZ level=%s job=%s id=%s attempts=%d" % (r["t"].strftime("%Y-%m-%dT%H:%M:%S"), r["lvl"], r["j"], r["id"], r["att"])
        if r["ds"]:
            out += " dur=" + r["ds"]
        out += ' msg="job failed" err="%s"' % r["err"] if r["err"] else " msg=done"
        out += "\n"
    write(F, out)
    d = [r for r in rows if r["ms"] is not None]
    fails = [r for r in rows if r["err"]]
    q(F, "failed", "how many jobs failed?", one(num(len(fails))))
    q(F, "thumbnail-average", "average run time of the thumbnail jobs, in milliseconds",
      one(num(avg(r["ms"] for r in d if r["j"] == "thumbnail"))))
    q(F, "slowest", "Which job id ran the longest?", one(top([(r["id"], r["ms"]) for r in d])[0][0]))
    q(F, "over-2s", "number of jobs that took more than 2 seconds", one(num(sum(r["ms"] > 2000 for r in d))))
    q(F, "failures-per-kind", "how many failures per kind of job",
      [[k, num(v)] for k, v in Counter(r["j"] for r in fails).most_common()])
    q(F, "commonest-error", "What's the most frequent error?", one(top(Counter(r["err"] for r in fails).items())[0][0]))
    q(F, "wiederholt", "Wie viele Jobs brauchten mehr als einen Versuch?", one(num(sum(r["att"] > 1 for r in rows))))
    imp = [r for r in rows if r["j"] == "import-feed"]
    q(F, "import-failure-rate", "What percentage of the import-feed runs went wrong?",
      one(num(Fraction(100 * sum(bool(r["err"]) for r in imp), len(imp)))))
    # every kind must have failed at least once, so that no reader owes us a row with 0
    assert set(Counter(r["j"] for r in fails)) == set(jobs), Counter(r["j"] for r in fails)


# ------------------------------------------------------------------ 5 JSON lines orders
def orders():
    F = "orders.jsonl"
    R = random.Random(1105)
    cust = [("Lena Vogt", "Hamburg"), ("Tom Ashby", "London"), ("Marta Ruiz", "Madrid"), ("Jan de Boer", "Utrecht"), ("Inga Holm", "Hamburg"),
            ("Carlo Bianchi", "Torino"), ("Petra Adler", "München"), ("Amir Nasser", "Hamburg"), ("Sophie Laurent", "Lyon"),
            ("Georg Huber", "München"), ("Kate Doyle", "Dublin"), ("Milan Horak", "Praha"), ("Ruth Stern", "München")]
    w = [12, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2]
    while True:
        rows = []
        t = datetime(2025, 3, 1, 9, 3, 0)
        for i in range(150):
            t += timedelta(minutes=R.randrange(60, 1620))
            n, c = R.choices(cust, w)[0]
            rows.append(dict(id="SO-%d" % (7001 + i), t=t, n=n, c=c, items=R.choices([1, 2, 3, 4, 5, 8], [40, 28, 16, 9, 5, 2])[0],
                             cents=R.randrange(990, 9000) * R.choice([1, 1, 2, 3]), coupon=R.choices([None, "WELCOME10", "SPRING", "FREESHIP"], [60, 16, 14, 10])[0],
                             st=R.choices(["paid", "shipped", "refunded", "cancelled"], [18, 64, 7, 9])[0]))
        cn = sorted(Counter(r["n"] for r in rows).values(), reverse=True)
        mx = sorted((r["cents"] for r in rows), reverse=True)
        edge = any((r["t"] - timedelta(hours=2)).month != r["t"].month for r in rows)  # same month in UTC as on the clock
        if cn[0] > cn[1] > cn[2] > cn[3] and mx[0] > mx[1] and not edge:
            break
    out = ""
    for r in rows:
        o = OrderedDict(id=r["id"], placed_at=r["t"].strftime("%Y-%m-%dT%H:%M:%S" + ("+01:00" if r["t"] < datetime(2025, 3, 30, 2) else "+02:00")), customer=r["n"], city=r["c"], items=r["items"],
                        total_eur=r["cents"] / 100, status=r["st"])
        if r["coupon"]:
            o["coupon"] = r["coupon"]
        elif R.random() < .6:
            o["coupon"] = None
        out += json.dumps(o, ensure_ascii=False) + "\n"
    write(F, out)
    q(F, "welcome10", "how many orders used the WELCOME10 code?", one(num(sum(r["coupon"] == "WELCOME10" for r in rows))))
    q(F, "april-revenue", "What do the April orders add up to if I leave out the cancelled and refunded ones?",
      one(money(sum(r["cents"] for r in rows if r["t"].month == 4 and r["st"] in ("paid", "shipped")))))
    q(F, "regulars", "Who are my three most frequent customers, and how many orders did each place?",
      [[k, num(v)] for k, v in top(Counter(r["n"] for r in rows).items(), 3)])
    q(F, "no-coupon", "How many people ordered without any coupon – number of orders I mean.", one(num(sum(r["coupon"] is None for r in rows))))
    q(F, "hamburg-munich", "Compare the average order value of Hamburg and München (all orders).",
      [[c, moneyavg([r["cents"] for r in rows if r["c"] == c])] for c in ("Hamburg", "München")])
    q(F, "most-expensive", "Who placed the most expensive single order?", one(dict((r["id"], r["n"]) for r in rows)[top([(r["id"], r["cents"]) for r in rows])[0][0]]))
    q(F, "dublin-items", "how many items altogether went to Dublin orders", one(num(sum(r["items"] for r in rows if r["c"] == "Dublin"))))
    q(F, "carrier", "Which parcel service brings our orders the fastest?", None)

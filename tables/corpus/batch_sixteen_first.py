"""The first files of the sixteenth batch and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv, io, json, random
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal as D, ROUND_HALF_UP

from common import Author

AUTHOR = Author("sixteen", 16)
write, put = AUTHOR.write, AUTHOR.ask


def num(x, d=2):
    x = D(str(x)) if not isinstance(x, D) else x
    s = str(x.quantize(D(1).scaleb(-d), rounding=ROUND_HALF_UP))
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if s == "-0" else s

def one(x): return [[num(x) if not isinstance(x, str) else x]]
def names(xs): return [[x] for x in xs]
def groups(d): return [[k, num(v)] for k, v in sorted(d.items())]
def mean(xs):
    xs = [D(str(x)) for x in xs]
    return sum(xs) / len(xs)
def median(xs):
    xs = sorted(D(str(x)) for x in xs); n = len(xs)
    return xs[n // 2] if n % 2 else (xs[n // 2 - 1] + xs[n // 2]) / 2

def top(items, k=1):
    """items: list of (name, value); the k largest, refusing ties inside or at the edge."""
    s = sorted(items, key=lambda t: -t[1])
    for i in range(min(k, len(s) - 1)):
        assert s[i][1] != s[i + 1][1], ("tie", s[:k + 1])
    return [a for a, _ in s[:k]]

def csvtext(rows, delim=","):
    b = io.StringIO()
    csv.writer(b, delimiter=delim, lineterminator="\n").writerows(rows)
    return b.getvalue()

def de(x, d=2):
    s = f"{x:,.{d}f}"
    return s.replace(",", "_").replace(".", ",").replace("_", ".")

# ---------------------------------------------------------------- 1 Kassenbuch
def kassenbuch():
    R = random.Random(1601)
    fam = ["Berger", "Yılmaz", "Schröder", "Kowalski", "Hübner", "Lindner", "Okonkwo", "Petersen", "Weiß", "Zimmermann"]
    recs = []
    for m in range(1, 13):
        for _ in range(R.randint(9, 14)):
            d = date(2024, m, R.randint(1, 28))
            k = R.choices(["Beiträge", "Spenden", "Platzmiete", "Material", "Getränkeverkauf", "Fahrtkosten", "Versicherung"],
                          [5, 2, 1, 3, 2, 2, .7])[0]
            ein = aus = None
            if k == "Beiträge":
                ein = D(R.choice([60, 60, 90, 120])); t = f"Jahresbeitrag Fam. {R.choice(fam)}"
            elif k == "Spenden":
                ein = D(R.randint(20, 1400)) + D(R.choice(["0", "0.50"])); t = f"Spende {R.choice(fam)}"
            elif k == "Getränkeverkauf":
                ein = D(R.randint(4000, 31000)) / 100; t = R.choice(["Erlös Heimspiel", "Erlös Sommerfest", "Kühlschrank Vereinsheim"])
            elif k == "Platzmiete":
                aus = D(R.randint(300, 1250)); t = "Stadt, Sportamt: Platzmiete"
            elif k == "Material":
                aus = D(R.randint(900, 42000)) / 100; t = R.choice(["Bälle", "Trikots Jugend", "Tornetz", "Verbandskasten", "Markierungsfarbe"])
            elif k == "Fahrtkosten":
                aus = D(R.randint(1200, 18000)) / 100; t = R.choice(["Bus Auswärtsspiel", "Tankquittung", "Bahnfahrt Lehrgang"])
            else:
                aus = D(R.randint(8000, 60000)) / 100; t = "Haftpflicht Sportbund"
            z = R.choice(["Überweisung", "bar", "Lastschrift"]) if k != "Getränkeverkauf" else "bar"
            if R.random() < .06: z = ""
            recs.append(dict(d=d, k=k, t=t, ein=ein, aus=aus, z=z))
    recs.sort(key=lambda r: r["d"])
    for i, r in enumerate(recs): r["b"] = f"24-{i+1:03d}"
    for i in (23, 71, 104): recs[i]["b"] = recs[i - 1]["b"]
    rows = [["Datum", "Beleg-Nr.", "Buchungstext", "Konto", "Einnahme", "Ausgabe", "Zahlungsart"]]
    for r in recs:
        rows.append([r["d"].isoformat() if R.random() < .1 else r["d"].strftime("%d.%m.%Y"), r["b"], r["t"], r["k"],
                     de(r["ein"]) if r["ein"] is not None else "", de(r["aus"]) if r["aus"] is not None else "",
                     r["z"].capitalize() if r["z"] == "bar" and R.random() < .1 else r["z"]])
    write("kassenbuch.csv", csvtext(rows, ";"))
    E = sum(r["ein"] or 0 for r in recs); A = sum(r["aus"] or 0 for r in recs)
    c = Counter(r["b"] for r in recs)
    t3 = top([(r["b"], r["aus"]) for r in recs if r["aus"]], 3)
    assert all(c[b] == 1 for b in t3)
    sp = [r["ein"] for r in recs if r["k"] == "Spenden"]
    put("kassenbuch.csv", [
        ("einnahmen gesamt", "Wie viel Geld haben wir im ganzen Jahr eingenommen?", one(E)),
        ("unterm strich", "Was bleibt unterm Strich übrig, also Einnahmen minus Ausgaben?", one(E - A)),
        ("bar im ersten quartal", "Wie hoch waren die Barausgaben von Januar bis März zusammen?",
         one(sum(r["aus"] for r in recs if r["aus"] and r["z"] == "bar" and r["d"].month <= 3))),
        ("buchungen je konto", "Wie viele Buchungen gibt es je Konto?", groups(Counter(r["k"] for r in recs))),
        ("doppelte belege", "Welche Belegnummern sind versehentlich doppelt vergeben?", names(sorted(b for b in c if c[b] > 1))),
        ("höchste ausgaben", "Nenn mir die Belegnummern der drei höchsten Ausgaben.", names(t3)),
        ("zahlungsart fehlt", "Bei wie vielen Buchungen hat der Kassierer vergessen, die Zahlungsart einzutragen?", one(sum(r["z"] == "" for r in recs))),
    ])

# ---------------------------------------------------------------- 2 marks
def marks():
    R = random.Random(1602)
    first = "Amelia Noah Priya Tom Zainab Leo Grace Mateusz Ella Kofi Isla Ben Fatima Oscar Ruby Jack Mei Adam Chloe Dylan Nia Sam".split()
    last = "Adams Begum Carter Doyle Evans Fraser Gill Hughes Iqbal Jones Khan Lewis Morris Nowak Owen Patel Quinn Reid Shah Turner Walsh Young".split()
    full = [f"{l}, {f}" for f in first for l in last]
    R.shuffle(full)
    recs = []
    for i in range(88):
        base = R.gauss(61, 16)
        r = dict(n=full[i], f="9" + "ABCD"[R.choices(range(4), [23, 21, 24, 20])[0]], miss={})
        for s in ("ma", "en", "sc", "hi"):
            r[s] = max(8, min(99, int(R.gauss(base, 11))))
            if R.random() < .07: r[s] = None
        r["ab"] = max(0, int(R.expovariate(.25)))
        r["sp"] = R.random() < .18
        recs.append(r)
    recs[40]["ab"] = 31
    recs.sort(key=lambda r: (r["f"], r["n"]))
    rows = [["Student", "Form", "Maths", "English", "Science", "History", "Days absent", "Support plan"]]
    for r in recs:
        rows.append([r["n"], r["f"]] + [R.choice(["", "", "abs", "n/a"]) if r[s] is None else r[s] for s in ("ma", "en", "sc", "hi")] +
                    [r["ab"], "Yes" if r["sp"] else R.choice(["No", "No", "no"])])
    write("year9_marks.csv", csvtext(rows))
    bf = defaultdict(list)
    for r in recs:
        if r["sc"] is not None: bf[r["f"]].append(r["sc"])
    low = [r["n"] for r in recs if r["en"] is not None and r["sc"] is not None and r["en"] < 45 and r["sc"] < 45]
    assert 2 <= len(low) <= 12, low
    sp = mean(r["ab"] for r in recs if r["sp"]); ns = mean(r["ab"] for r in recs if not r["sp"])
    assert abs(sp - ns) > D("0.1")
    put("year9_marks.csv", [
        ("mean maths", "What's the average maths mark across the whole year? Leave out anyone who has no mark.",
         one(mean(r["ma"] for r in recs if r["ma"] is not None))),
        ("struggling in both", "Who got less than 45 in English and also less than 45 in Science?", names(low)),
        ("science by form", "average science mark for each form please", groups({k: mean(v) for k, v in bf.items()})),
        ("no history mark", "How many of them are missing a history mark (blank, abs or n/a)?", one(sum(r["hi"] is None for r in recs))),
        ("median english 9c", "Median English mark in 9C?", one(median(r["en"] for r in recs if r["f"] == "9C" and r["en"] is not None))),
        ("support plan absences", "On average, how many days were the children with a support plan absent?", one(sp)),
        ("birthdays", "Whose birthday is in the summer holidays?", None),
    ])

# ---------------------------------------------------------------- 3 nginx
def nginx():
    R = random.Random(1603)
    ips = ["203.0.113.%d" % i for i in (7, 19, 44, 81, 120)] + ["198.51.100.%d" % i for i in (3, 5, 23, 61, 62, 77, 90)] + ["2001:db8::1f", "2001:db8:4::9", "192.0.2.200"]
    iw = [3, 5, 2, 9, 1, 4, 2, 6, 3, 2, 1, 2, 2, 3, 1]
    uas = ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36",
           "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15",
           "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
           "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "curl/8.5.0", "-"]
    paths = ["/", "/menu", "/api/bookings", "/static/app.js", "/static/site.css", "/contact", "/gallery/terrace.jpg", "/admin/login.php", "/search?q=brunch", "/search?q=vegan", "/old-menu.pdf"]
    pw = [40, 28, 20, 13, 12, 8, 7, 4, 3, 2, 6]
    recs = []
    t = datetime(2024, 5, 16, 6, 2, 11)
    for _ in range(360):
        t += timedelta(seconds=R.randint(4, 260))
        p = R.choices(paths, pw)[0]
        m = "GET"
        if p == "/api/bookings": m = R.choice(["POST", "POST", "GET"])
        elif R.random() < .03: m = "HEAD"
        if p in ("/old-menu.pdf", "/admin/login.php"): s = 404
        elif m == "POST": s = R.choices([201, 400, 422, 500, 503], [14, 2, 2, 2, 1])[0]
        else: s = R.choices([200, 304, 500, 502, 301], [70, 10, 3, 3, 2])[0]
        b = 0 if s == 304 or m == "HEAD" else (R.randint(900, 98000) if s == 200 else R.randint(120, 600))
        recs.append(dict(ip=R.choices(ips, iw)[0], t=t, m=m, p=p, s=s, b=b, ua=R.choices(uas, [40, 30, 9, 5, 4, 2])[0],
                         ref=R.choice(["-", "-", "https://www.google.com/", "https://cafe-lindt.example/"])))
    assert recs[-1]["t"].date() == date(2024, 5, 16), recs[-1]["t"]
    write("access.log", "".join(f'{r["ip"]} - - [{r["t"].strftime("%d/%b/%Y:%H:%M:%S")} +0200] "{r["m"]} {r["p"]} HTTP/1.1" {r["s"]} {r["b"]} "{r["ref"]}" "{r["ua"]}"\n' for r in recs))
    assert all((r["t"].minute, r["t"].second) != (0, 0) for r in recs)
    x = Counter(r["p"] for r in recs)
    t3 = top(list(x.items()), 3)
    assert x["/search?q=brunch"] + x["/search?q=vegan"] < x[t3[2]]
    put("access.log", [
        ("not found share", "what percentage of all requests ended in a 404?", one(D(100 * sum(r["s"] == 404 for r in recs)) / len(recs))),
        ("busiest ip", "Which IP address is hitting the site the most?", names(top(list(Counter(r["ip"] for r in recs).items())))),
        ("server errors late morning", "Number of 5xx responses between 10:00 and 12:00", one(sum(r["s"] >= 500 and r["t"].hour in (10, 11) for r in recs))),
        ("popular pages", "What are the three most requested paths, busiest first?", names(t3)),
        ("per status", "count the requests for each status code", groups(Counter(str(r["s"]) for r in recs))),
        ("googlebot", "Wie viele Zugriffe kamen vom Googlebot?", one(sum("Googlebot" in r["ua"] for r in recs))),
        ("response time", "What was the average response time?", None),
    ])

# ---------------------------------------------------------------- 4 logfmt
def worker():
    R = random.Random(1604)
    jobs = {"send_invoice": (80, 900), "resize_image": (400, 9000), "sync_crm": (900, 14000), "nightly_report": (5000, 95000)}
    tenants = ["acme", "birchwood", "corvus", "delta-foods", "elmtree"]
    recs = []
    t = datetime(2024, 9, 10, 7, 58, 2)
    for i in range(240):
        t += timedelta(seconds=R.randint(3, 50))
        j = R.choices(list(jobs), [8, 6, 4, 2])[0]
        lo, hi = jobs[j]
        ten = R.choice(tenants)
        r = dict(t=t, j=j, ten=ten, id=f"j{48210+i*3}", lvl=R.choices(["info", "warn", "error"], [80, 8, 12])[0], att=R.choices([1, 2, 3, 5], [80, 12, 6, 2])[0], err=None)
        ms = R.randint(lo, hi)
        r["ms"] = ms
        if r["lvl"] == "error":
            r["err"] = R.choice(["connection timeout", "read timeout after 30s"] if ten in ("acme", "corvus") and R.random() < .6 else ["disk full", "invalid template", "permission denied"])
            if R.random() < .5: r["ms"] = None
        recs.append(r)
    out = []
    for r in recs:
        s = f'ts={r["t"].isoformat()}Z level={r["lvl"]} job={r["j"]} id={r["id"]} tenant={r["ten"]} attempts={r["att"]}'
        ms = r["ms"]
        if ms is not None:
            if ms < 1000: ds = f"{ms}ms"
            elif ms < 60000:
                r["ms"] = ms = ms // 10 * 10 + (10 if ms // 10 == 500 else 0); ds = f"{ms/1000:g}s"
            else:
                r["ms"] = ms = ms // 1000 * 1000; ds = f"{ms//60000}m{ms%60000//1000}s"
            s += f" duration={ds}"
        s += f' msg="job failed" err="{r["err"]}"' if r["err"] else R.choice([' msg="job done"', ' msg=done', ' msg="job done, queue empty"'])
        out.append(s + "\n")
    write("worker.log", "".join(out))
    dur = [r for r in recs if r["ms"] is not None]
    assert all(r["ms"] != 5000 for r in dur)
    er = Counter(r["j"] for r in recs if r["lvl"] == "error")
    assert set(er) == set(jobs), er
    tm = sorted({r["ten"] for r in recs if r["err"] and "timeout" in r["err"]})
    assert tm == ["acme", "corvus"]
    mx = defaultdict(int)
    for r in dur: mx[r["ten"]] = max(mx[r["ten"]], r["ms"])
    put("worker.log", [
        ("slowest id", "What is the id of the job that ran the longest?", names(top([(r["id"], r["ms"]) for r in dur]))),
        ("mean resize ms", "average duration of the resize_image jobs, in milliseconds", one(mean(r["ms"] for r in dur if r["j"] == "resize_image"))),
        ("over five seconds", "How many runs took more than 5 seconds?", one(sum(r["ms"] > 5000 for r in dur))),
        ("errors per job", "errors by job type", groups(er)),
        ("timeouts who", "Which tenants ran into a timeout?", names(tm)),
        ("retried", "How many jobs needed more than one attempt?", one(sum(r["att"] > 1 for r in recs))),
        ("errors half nine", "Number of errors between 9:00 and 9:30", one(sum(r["lvl"] == "error" and r["t"].hour == 9 and r["t"].minute < 30 for r in recs))),
    ])
    assert all(not (r["t"].hour == 9 and r["t"].minute == 30 and r["t"].second == 0) for r in recs)

# ---------------------------------------------------------------- 5 JSON lines
def orders():
    R = random.Random(1605)
    people = [("Lotte Claes", "Ghent"), ("Ravi Menon", "Antwerp"), ("Sofie De Smet", "Ghent"), ("Jan Peeters", "Leuven"), ("Amina Haddad", "Brussels"),
              ("Tom Wouters", "Antwerp"), ("Elif Kaya", "Brussels"), ("Marc Dubois", "Namur"), ("Nele Jacobs", "Leuven"), ("Pieter Maes", "Bruges"),
              ("Chiara Rossi", "Brussels"), ("Wim Aerts", "Antwerp"), ("Hanne Goossens", "Bruges"), ("Yusuf Demir", "Ghent")]
    sku = {"MUG-01": D("11.50"), "TEA-GRN": D("6.90"), "TEA-BLK": D("5.90"), "POT-L": D("39.00"), "TIN-S": D("4.25"), "SET-XM": D("64.00")}
    recs = []
    t = datetime(2024, 11, 1, 8, 30)
    for i in range(130):
        t += timedelta(minutes=R.randint(20, 600))
        p = R.choices(people, [5, 3, 4, 2, 4, 6, 2, 1, 3, 2, 2, 1, 2, 2])[0]
        items = [dict(sku=s, qty=R.choices([1, 2, 3, 6], [6, 3, 1, .4])[0]) for s in R.sample(sorted(sku), R.randint(1, 3))]
        tot = sum(sku[x["sku"]] * x["qty"] for x in items)
        cp = R.choice(["AUTUMN10", "WELCOME5"]) if R.random() < .25 else None
        if cp == "AUTUMN10": tot = (tot * D("0.9")).quantize(D("0.01"), rounding=ROUND_HALF_UP)
        if cp == "WELCOME5" and tot > 10: tot -= 5
        recs.append(dict(id=f"W{2400+i}", t=t, p=p, items=items, tot=tot, cp=cp, st=R.choices(["shipped", "delivered", "cancelled", "returned", "processing"], [3, 9, 1.2, 1, 1])[0]))
    recs = [r for r in recs if r["t"] < datetime(2024, 12, 1)]
    out = []
    for r in recs:
        o = {"order_id": r["id"], "placed_at": r["t"].isoformat() + "+01:00", "customer": {"name": r["p"][0], "city": r["p"][1]},
             "items": [{"sku": x["sku"], "qty": x["qty"], "unit_price": float(sku[x["sku"]])} for x in r["items"]],
             "total": float(r["tot"]), "currency": "EUR", "status": r["st"]}
        if r["cp"]: o["coupon"] = r["cp"]
        elif R.random() < .5: o["coupon"] = None
        out.append(json.dumps(o, ensure_ascii=False) + "\n")
    write("webshop_orders.jsonl", "".join(out))
    def spend(f):
        c = defaultdict(D)
        for r in recs:
            if f(r): c[r["p"][0]] += r["tot"]
        return top(list(c.items()))
    b = spend(lambda r: True)
    assert b == spend(lambda r: r["st"] != "cancelled") == spend(lambda r: r["st"] not in ("cancelled", "returned"))
    ct = defaultdict(D)
    for r in recs: ct[r["p"][1]] += r["tot"]
    ret = sum(r["st"] == "returned" for r in recs)
    wd = [r for r in recs if r["t"].date() == date(2024, 11, 15)]
    assert 2 <= len(wd) and not any(r["t"].day in (15, 16) and r["t"].hour == 0 for r in recs)
    put("webshop_orders.jsonl", [
        ("turnover without cancelled", "What did all orders add up to, not counting the cancelled ones?", one(sum(r["tot"] for r in recs if r["st"] != "cancelled"))),
        ("best customer", "Which customer has spent the most with us?", names(b)),
        ("coupon used", "In how many orders was a coupon used?", one(sum(bool(r["cp"]) for r in recs))),
        ("sales per city", "Order totals summed per city (all orders, whatever their status)", groups(ct)),
        ("returned share", "What percentage of the orders was returned?", one(D(100 * ret) / len(recs))),
        ("mugs", "How many MUG-01 mugs were ordered in total, counting the quantities?", one(sum(x["qty"] for r in recs for x in r["items"] if x["sku"] == "MUG-01"))),
        ("on the fifteenth", "How many orders were placed on 15 November?", one(len(wd))),
    ])

# ---------------------------------------------------------------- 6 ward observations
def ward():
    R = random.Random(1606)
    pts = {"Okafor, D.": 1, "Hartley, M.": 2, "Singh, P.": 3, "Bianchi, R.": 4, "O'Neill, K.": 5, "Lam, W.": 6, "Fernandes, A.": 7, "Drew, J.": 8}
    base = {"Okafor, D.": 84, "Hartley, M.": 71, "Singh, P.": 92, "Bianchi, R.": 78, "O'Neill, K.": 66, "Lam, W.": 88, "Fernandes, A.": 75, "Drew, J.": 80}
    low = {"Singh, P.", "Lam, W.", "Drew, J."}
    nurses = ["Carla", "Ben M.", "Joyce", "Tadesse"]
    notes = ["", "", "", "", "c/o pain in left hip, given paracetamol", "slept well", "chest pain, doctor informed", "anxious, reassured", "dressing changed", "vomited x1, fluids started", "abdominal pain after lunch"]
    recs = []
    for d in range(17, 24):
        for h in (5, 9, 13, 17, 21, 23):
            for p, bed in pts.items():
                if R.random() < .38: continue
                T = round(R.gauss(37.1 + (.7 if p in ("Okafor, D.", "Lam, W.") else 0), .55), 1)
                if abs(T - 38) < .15 and T < 38: T = 37.7
                r = dict(d=date(2024, 6, d), hm=(h, R.randint(3, 55)), p=p, bed=bed, T=T, sys=int(R.gauss(134, 17)), dia=int(R.gauss(80, 8)), pu=int(R.gauss(base[p], 8)),
                         o2=min(99, int(R.gauss(93.5 if p in low else 97, 1.4))), nu=R.choices(nurses, [4, 3, 5, 2])[0], no=R.choice(notes))
                if p not in low and r["o2"] < 93: r["o2"] = 94
                if R.random() < .06: r["sys"] = None
                if R.random() < .04: r["pu"] = None
                if R.random() < .05: r["o2"] = None
                recs.append(r)
    recs.sort(key=lambda r: (r["d"], r["hm"]))
    rows = [["Date", "Time", "Bed", "Patient", "Temp (°C)", "BP", "Pulse", "SpO2", "Nurse", "Notes"]]
    for r in recs:
        rows.append([r["d"].strftime("%d/%m/%Y"), "%02d:%02d" % r["hm"], r["bed"], r["p"], r["T"] if R.random() > .08 else str(r["T"]).replace(".", ","),
                     f'{r["sys"]}/{r["dia"]}' if r["sys"] else R.choice(["", "-"]), "" if r["pu"] is None else r["pu"],
                     "" if r["o2"] is None else (f'{r["o2"]}%' if R.random() < .3 else r["o2"]), r["nu"], r["no"]])
    write("ward_obs_june.csv", csvtext(rows))
    desat = sorted({r["p"] for r in recs if r["o2"] is not None and r["o2"] < 92})
    assert set(desat) <= low and desat
    put("ward_obs_june.csv", [
        ("fever readings", "How many temperatures of 38.0 or higher were recorded?", one(sum(r["T"] >= 38 for r in recs))),
        ("desaturated", "Which patients dropped below 92% oxygen saturation at any time?", names(desat)),
        ("okafor pulse", "What was the highest pulse we measured for Okafor?", one(max(r["pu"] for r in recs if r["p"].startswith("Okafor") and r["pu"]))),
        ("obs per nurse", "how many sets of obs did each nurse do", groups(Counter(r["nu"] for r in recs))),
        ("systolic over 160", "In how many readings was the systolic pressure above 160?", one(sum(r["sys"] is not None and r["sys"] > 160 for r in recs))),
        ("evening 19th", "How many obs were done on 19 June after 4 pm?", one(sum(r["d"].day == 19 and r["hm"][0] >= 16 for r in recs))),
        ("allergy", "Who is allergic to penicillin?", None),
    ])

# ---------------------------------------------------------------- 7 Markdown
def stock():
    R = random.Random(1607)
    cat = {"Garden": ["Spade", "Garden fork", "Hose 25 m", "Lawn mower, electric", "Wheelbarrow", "Secateurs", "Watering can", "Leaf rake", "Hedge trimmer", "Bird feeder"],
           "Paint": ["White emulsion 5 l", "White emulsion 10 l", "Gloss black 750 ml", "Wood stain oak", "Primer 2.5 l", "Masking tape", "Paint roller set", "Brush set"],
           "Tools": ["Claw hammer", "Cordless drill", "Spirit level", "Socket set", "Hand saw", "Tape measure", "Workbench", "Pipe wrench", "Table saw", "Chisel set"],
           "Electrical": ["Extension lead 5 m", "LED bulb E27", "LED bulb E14", "Fuse 13A (pack)", "Junction box", "Cable 1.5 mm² 50 m", "Motion sensor", "Smoke alarm"],
           "Fixings": ["Wood screws 4x40", "Wood screws 5x60", "Wall plugs 8 mm", "Nails 75 mm", "Bolts M8", "Angle bracket", "Hinge, brass"]}
    price = {"Lawn mower, electric": "249.00", "Table saw": "1,149.00", "Workbench": "139.50", "Cordless drill": "119.99", "Hedge trimmer": "89.00", "Wheelbarrow": "64.95", "Garden fork": "27.50"}
    sup = ["Barlow & Sons", "Northgate Trade", "Hadley Wholesale", "Kite Supplies"]
    recs = []
    for c, its in cat.items():
        for it in its:
            st = R.choice([0, 2, 3, 5, 8, 12, 17, 24, 40, 65]); re = R.choice([4, 6, 10, 15])
            dl = None if R.random() < .15 else date(2024, 1, 3) + timedelta(days=R.randint(0, 200))
            recs.append(dict(i=it, c=c, s=R.choice(sup), p=D(price.get(it, f"{R.randint(199, 4599)/100:.2f}").replace(",", "")), st=st, re=re, dl=dl))
    R.shuffle(recs)
    L = ["# Stock list – Miller's Hardware", "", "Counted on Saturday, prices incl. VAT.", "", "| Item | Category | Supplier | Price | In stock | Reorder level | Last delivery |", "|:-----|:---------|:---------|------:|---------:|--------------:|:--------------|"]
    for r in recs:
        L.append(f'| {r["i"]} | {r["c"]} | {r["s"]} | £{r["p"]:,.2f} | {r["st"]} | {r["re"]} | {"—" if r["dl"] is None else r["dl"].strftime("%-d %b %Y")} |')
    write("stock" ".md", "\n".join(L) + "\n")
    assert all(r["st"] != r["re"] for r in recs)
    gd = [r["i"] for r in recs if r["c"] == "Garden" and r["p"] > 50]
    dl = [r["dl"] for r in recs if r["dl"]]
    put("stock" ".md", [
        ("reorder", "Which items have fallen below their reorder level?", names(r["i"] for r in recs if r["st"] < r["re"])),
        ("stock value", "What's everything on the shelves worth altogether (price times what's in stock)?", one(sum(r["p"] * r["st"] for r in recs))),
        ("items per category", "Number of items in each category", groups(Counter(r["c"] for r in recs))),
        ("garden over fifty", "Garden items that cost more than £50", names(gd)),
        ("sold out", "How many items are completely out of stock?", one(sum(r["st"] == 0 for r in recs))),
        ("no delivery date", "How many lines have no delivery date?", one(len(recs) - len(dl))),
        ("kite average price", "average price of the items from Kite Supplies", one(mean(r["p"] for r in recs if r["s"] == "Kite Supplies"))),
    ])

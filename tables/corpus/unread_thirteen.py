#!/usr/bin/env python3
"""Makes files/ and questions.json (seeded; answers computed from the records)."""
import sys
import json, os, random
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction as Fr
from statistics import median

HERE = sys.argv[1]
OUT = os.path.join(HERE, "files")
os.makedirs(OUT, exist_ok=True)
BATCH = []


def write(name, text, enc="utf-8"):
    with open(os.path.join(OUT, name), "w", encoding=enc, newline="") as f:
        f.write(text)


def fmt(x, nd=2):
    x = Fr(x)
    s = x * 10 ** nd
    fl = s.numerator // s.denominator
    rest = s - fl
    assert rest != Fr(1, 2), ("rounding tie", x)
    n = fl + (1 if rest > Fr(1, 2) else 0)
    sign = "-" if n < 0 else ""
    n = abs(n)
    if nd == 0:
        return sign + str(n)
    t = f"{n // 10**nd}.{n % 10**nd:0{nd}d}".rstrip("0").rstrip(".")
    return sign + t


def one(x, nd=2):
    return [[x if isinstance(x, str) else fmt(x, nd)]]


def names(l):
    l = list(l)
    assert l, "empty list"
    return [[str(x)] for x in l]


def groups(d, nd=2):
    return [[k, fmt(v, nd)] for k, v in d.items()]


def mean(l):
    l = list(l)
    assert l
    return Fr(sum(Fr(x) for x in l)) / len(l)


def best(d, largest=True):
    it = sorted(d.items(), key=lambda kv: kv[1], reverse=largest)
    assert len(it) == 1 or it[0][1] != it[1][1], ("tie", it[:3])
    return it[0][0]


def top(d, n):
    it = sorted(d.items(), key=lambda kv: kv[1], reverse=True)
    for a, b in zip(it[:n], it[1:n + 1]):
        assert a[1] != b[1], ("tie", it[:n + 1])
    return it[:n]


def bestrow(rows, key, largest=True):
    r = sorted(rows, key=key, reverse=largest)
    assert len(r) == 1 or key(r[0]) != key(r[1]), ("tie", r[:2])
    return r[0]


def ask(file, qs):
    BATCH.append({"file": file, "questions": [["13/" + i, q, a] for i, q, a in qs]})


def sumby(rows, k, v):
    d = defaultdict(Fr)
    for r in rows:
        d[r[k]] += Fr(v(r))
    return dict(d)


def eur(c):
    """cents as German text 1.234,56"""
    return f"{c // 100:,}".replace(",", ".") + f",{c % 100:02d}"


def q(s):
    return '"' + s.replace('"', '""') + '"' if any(ch in s for ch in ',"\n') else s


# ---------------------------------------------------------------- 1 trip
def trip(k=0):
    R = random.Random(1301 + 1000 * k)
    what = {
        "Taxi": ["Taxi from the airport", "Taxi to the old town", "Late cab home", "Taxi to the station", "Cab, luggage extra",
                 "Taxi to the beach", "Ride to the winery", "Taxi back from the winery"],
        "Food": ["Pizza near the Duomo", "Breakfast buns", "Supermarket run", "Dinner, fish place", "Gelato for everyone", "Lunch at the market",
                 "Picnic stuff", "Sandwiches for the train", "Farewell dinner", "Pasta place by the river", "Fruit stall", "Brunch, two rounds"],
        "Hotel": ["Hotel Aurora, 4 nights", "B&B Lucia, 3 nights", "City tax"],
        "Museum": ["Uffizi tickets", "Boboli gardens", "Audio guides", "Leonardo museum", "Cathedral climb"],
        "Train": ["Train to Pisa", "Train to Lucca", "Seat reservations", "Train Florence-Bologna"],
        "Drinks": ["Spritz on the square", "Wine tasting", "Beers after the museum", "Espresso stop", "Rooftop cocktails", "Minibar"],
    }
    rng = {"Taxi": (900, 4800), "Food": (640, 14000), "Hotel": (2400, 3000), "Museum": (1200, 9800), "Train": (800, 7800), "Drinks": (560, 8800)}
    people = ["Marco", "Lena", "Priya", "Tom", "Ines"]
    rows = []
    for cat, l in what.items():
        for w in l:
            c = R.randint(*rng[cat])
            if "Aurora" in w: c = 138640
            if "Lucia" in w: c = 71250
            rows.append(dict(what=w, cat=cat, c=c, who=R.choice(people), d=date(2024, 5, 3) + timedelta(R.randint(0, 10)),
                             pay=R.choice(["card", "card", "cash", "cash", ""])))
    rows.sort(key=lambda r: r["d"])
    L = ["Date,Who paid,What,Category,Amount,Paid with"]
    for i, r in enumerate(rows):
        d = r["d"]
        ds = [d.isoformat(), f"{d.day} May 2024", f"May {d.day}, 2024"][R.choice([0, 0, 1, 2])]
        cat = r["cat"]
        if cat == "Taxi": cat = R.choice(["Taxi", "taxi", "TAXI"])
        L.append(",".join([q(ds), r["who"], q(r["what"]), cat, q(f"€{r['c'] // 100:,}.{r['c'] % 100:02d}"), r["pay"]]))
    write("trip_expenses.csv", "\n".join(L) + "\n")
    e = lambda r: Fr(r["c"], 100)
    per = sumby(rows, "who", e)
    assert len(per) == 5 and sum(r["who"] == "Marco" and r["cat"] == "Food" for r in rows) >= 2
    ask("trip_expenses.csv", [
        ("trip-taxi-total", "hey, how much did we blow on taxis in total?", one(sum(e(r) for r in rows if r["cat"] == "Taxi"))),
        ("trip-most-paid", "so who ended up paying the most overall?", one(best(per))),
        ("trip-priciest", "what was the single most expensive thing we paid for?", one(bestrow(rows, lambda r: r["c"])["what"])),
        ("trip-cash-count", "how many times did we pay cash?", one(sum(r["pay"] == "cash" for r in rows))),
        ("trip-marco-food", "and what did Marco spend on food, all in all?", one(sum(e(r) for r in rows if r["who"] == "Marco" and r["cat"] == "Food"))),
        ("trip-each", "ok now for settling up: how much did each of us pay?", groups(per)),
        ("trip-range", "what did we spend from 6 May to 9 May inclusive?", one(sum(e(r) for r in rows if date(2024, 5, 6) <= r["d"] <= date(2024, 5, 9)))),
        ("trip-null-tips", "how much of all that was tips?", None),
    ])


# ---------------------------------------------------------------- 2 shop
def shop(k=0):
    R = random.Random(1302 + 1000 * k)
    kinds = [("Scarf", 1400, 4900), ("Beanie", 900, 2900), ("Rain jacket", 6900, 14900), ("Tote bag", 600, 2400), ("Hoodie", 3900, 7900),
             ("Socks", 450, 1500), ("Leather coat", 89900, 149900), ("Belt", 1900, 5200), ("Gloves", 1200, 3900)]
    cols = ["red", "blue", "green", "black", "grey"]
    sup = ["Northwind Textiles", "Kılıç & Sons", "Maple Goods, Inc.", "Blue Harbor"]
    rows = []
    n = 100
    for k, lo, hi in kinds:
        for c in cols:
            if R.random() < 0.12: continue
            n += R.randint(1, 4)
            rows.append(dict(sku=f"SK-{n}", item=f"{k} {c}", kind=k, col=c, c=R.randint(lo, hi),
                             stock=R.choices([R.randint(1, 40), 0, None], [72, 12, 16])[0],
                             sup=R.choice(sup), size=R.choice(["S", "M", "L", "one size"])))
    R.shuffle(rows)
    L = ["SKU,Item,Colour,Size,Price,In stock,Supplier"]
    for r in rows:
        L.append(",".join([r["sku"], r["item"].rsplit(" ", 1)[0] + " " + r["sku"][3:], r["col"], r["size"],
                           q(f"${r['c'] // 100:,}.{r['c'] % 100:02d}"), R.choice(["", "n/a"]) if r["stock"] is None else str(r["stock"]), q(r["sup"])]))
        r["item"] = r["item"].rsplit(" ", 1)[0] + " " + r["sku"][3:]
    write("stock.csv", "\r\n".join(L) + "\r\n")
    p = lambda r: Fr(r["c"], 100)
    assert sum(r["stock"] is None for r in rows) >= 3 and sum(r["stock"] == 0 for r in rows) >= 2
    ask("stock.csv", [
        ("shop-avg-red", "avg price red ones?", one(mean(p(r) for r in rows if r["col"] == "red"))),
        ("shop-out", "which items are sold out, stock zero?", names(r["item"] for r in rows if r["stock"] == 0)),
        ("shop-dearest-green", "priciest green item?", one(bestrow([r for r in rows if r["col"] == "green"], lambda r: r["c"])["item"])),
        ("shop-units", "total units on hand", one(sum(r["stock"] or 0 for r in rows))),
        ("shop-unknown", "how many have no stock figure?", one(sum(r["stock"] is None for r in rows))),
        ("shop-worth", "whats everything on the shelves worth at list price (price times stock)", one(sum(p(r) * (r["stock"] or 0) for r in rows))),
        ("shop-suppliers", "who are our suppliers", names(sorted({r["sup"] for r in rows}))),
        ("shop-under10", "anything cheaper than $10? list the SKUs", names(r["sku"] for r in rows if r["c"] < 1000)),
        ("shop-null-sold", "how many scarves did we sell in december", None),
    ])


# ---------------------------------------------------------------- 3 marks
def marks(k=0):
    R = random.Random(1303 + 1000 * k)
    first = "Aisha Ben Clara Dmitri Elif Finn Grace Hugo Isla Jonas Kavya Liam Mei Noah Olivia Pablo Quinn Rosa Samir Tilda Umar Vera Will Yara".split()
    last = "Ahmed Baker Costa Doyle Evans Fischer Green Hughes Ito Jensen Khan Lopez Meyer Nowak Okafor Patel Quigley Rossi Singh Taylor Usman Vance White Young".split()
    R.shuffle(last)
    rows = []
    for f, l in zip(first, last):
        b = R.randint(38, 88)
        t = [min(100, max(12, b + R.randint(-16, 16))) for _ in range(3)]
        t = [None if R.random() < .08 else x for x in t]
        rows.append(dict(n=f"{f} {l}", set=R.choice("AB"), t=t))
    L = ["Pupil\tSet\tAlgebra test\tGeometry test\tFinal exam"]
    for r in rows:
        L.append("\t".join([r["n"], r["set"]] + ["absent" if x is None else str(x) for x in r["t"]]))
    write("maths_7b.tsv", "\n".join(L) + "\n")
    g = lambda i: [r for r in rows if r["t"][i] is not None]
    imp = {r["n"]: r["t"][2] - r["t"][0] for r in rows if r["t"][0] is not None and r["t"][2] is not None}
    ask("maths_7b.tsv", [
        ("marks-geo-mean", "Please give me the mean mark in the geometry test (absentees left out).", one(mean(r["t"][1] for r in g(1)))),
        ("marks-absent-final", "Who was absent from the final exam?", names(r["n"] for r in rows if r["t"][2] is None)),
        ("marks-low-both", "Which pupils got less than 50 in both the algebra and the geometry test?",
         names(r["n"] for r in rows if r["t"][0] is not None and r["t"][1] is not None and r["t"][0] < 50 and r["t"][1] < 50)),
        ("marks-top3", "top 3 in the final exam please", names(k for k, _ in top({r["n"]: r["t"][2] for r in g(2)}, 3))),
        ("marks-sets", "Could you compare set A and set B on the algebra test? Averages are enough.",
         groups({s: mean(r["t"][0] for r in g(0) if r["set"] == s) for s in "AB"})),
        ("marks-improve", "Which child improved the most between the algebra test and the final exam?", one(best(imp))),
        ("marks-80", "How many pupils scored 80 or more in the final exam?", one(sum(r["t"][2] >= 80 for r in g(2)))),
        ("marks-median", "Median mark of the algebra test?", one(Fr(median(r["t"][0] for r in g(0))))),
    ])


# ---------------------------------------------------------------- 4 nginx
def nginx(k=0):
    R = random.Random(1304 + 1000 * k)
    ips = ["203.0.113.7", "198.51.100.23", "192.0.2.41", "203.0.113.99", "198.51.100.8", "192.0.2.177", "203.0.113.150", "2001:db8::1f", "198.51.100.200"]
    w = [9, 6, 5, 4, 4, 3, 2, 2, 1]
    paths = [("/", 10), ("/index.html", 3), ("/login", 6), ("/cart", 5), ("/api/items", 8), ("/api/items/42", 2), ("/static/app.js", 5),
             ("/favicon.ico", 4), ("/wp-login.php", 4), ("/robots.txt", 1)]
    ua = ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/8.4.0", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "-"]
    t = datetime(2024, 9, 17, 9, 12, 4)
    rows = []
    for _ in range(320):
        t += timedelta(seconds=R.randint(2, 70))
        if t.minute == 0 and t.second == 0: t += timedelta(seconds=1)
        p = R.choices([a for a, _ in paths], [b for _, b in paths])[0]
        m = "POST" if (p in ("/login", "/cart") and R.random() < .55) else ("HEAD" if R.random() < .03 else "GET")
        s = 404 if p == "/wp-login.php" or R.random() < .03 else R.choices([200, 304, 302, 500, 502, 503, 403], [70, 8, 6, 4, 2, 1, 2])[0]
        b = 0 if s in (304,) or m == "HEAD" else R.randint(153, 48000)
        u = R.choices(ua, [6, 2, 1, 1])[0]
        rows.append(dict(ip=R.choices(ips, w)[0], t=t, m=m, p=p, s=s, b=b, u=u))
    L = [f'{r["ip"]} - - [{r["t"].strftime("%d/%b/%Y:%H:%M:%S")} +0200] "{r["m"]} {r["p"]} HTTP/1.1" {r["s"]} {r["b"]} "-" "{r["u"]}"' for r in rows]
    write("access.log", "\n".join(L) + "\n")
    assert max(r["t"] for r in rows).day == 17
    ask("access.log", [
        ("nginx-404", "how many 404s", one(sum(r["s"] == 404 for r in rows))),
        ("nginx-top-ip", "which ip hit us the most?", one(best(Counter(r["ip"] for r in rows)))),
        ("nginx-10-11", "requests between 10 and 11 - how many?", one(sum(r["t"].hour == 10 for r in rows))),
        ("nginx-distinct", "number of different client addresses", one(len({r["ip"] for r in rows}))),
        ("nginx-top3-paths", "3 most requested paths w/ counts", [[k, str(v)] for k, v in top(Counter(r["p"] for r in rows), 3)]),
        ("nginx-post-5xx", "POST requests that ended in a 5xx, count", one(sum(r["m"] == "POST" and r["s"] >= 500 for r in rows))),
        ("nginx-googlebot", "did googlebot come by? how often", one(sum("Googlebot" in r["u"] for r in rows))),
        ("nginx-share", "What percentage of all requests returned an error, i.e. status 400 or higher?", one(Fr(100 * sum(r["s"] >= 400 for r in rows), len(rows)), 1)),
        ("nginx-null-time", "average response time in ms?", None),
    ])


# ---------------------------------------------------------------- 5 auth.log
def auth(k=0):
    R = random.Random(1305 + 1000 * k)
    bad = ["45.83.12.9", "61.177.172.3", "185.220.101.44", "103.99.0.12"]
    good = {"deploy": "10.0.4.17", "marta": "10.0.4.31", "jkowalski": "10.0.4.52"}
    t = datetime(2024, 3, 4, 0, 3, 11)
    rows = []
    for _ in range(240):
        t += timedelta(seconds=R.randint(20, 1700))
        k = R.choices(["fail", "failinv", "ok", "cron", "sudo"], [8, 5, 4, 5, 2])[0]
        r = dict(t=t, k=k, pid=R.randint(900, 32000), port=R.randint(30000, 65000))
        if k == "fail":
            r["user"] = R.choices(["root", "deploy", "marta"], [7, 2, 1])[0]; r["ip"] = R.choices(bad, [5, 3, 2, 1])[0]
        elif k == "failinv":
            r["user"] = R.choice(["admin", "test", "oracle", "ubuntu", "pi"]); r["ip"] = R.choices(bad, [3, 4, 1, 1])[0]
        elif k == "ok":
            r["user"] = R.choice(list(good)); r["ip"] = good[r["user"]]
        elif k == "sudo":
            r["user"] = R.choice(["marta", "jkowalski"])
            r["cmd"] = R.choice(["/usr/bin/apt update", "/bin/systemctl restart nginx", "/usr/bin/journalctl -xe"])
        rows.append(r)
    L = []
    for r in rows:
        t = r["t"]
        h = f"{t.strftime('%b')} {t.day:2d} {t.strftime('%H:%M:%S')} vault01 "
        k = r["k"]
        if k == "fail": m = f"sshd[{r['pid']}]: Failed password for {r['user']} from {r['ip']} port {r['port']} ssh2"
        elif k == "failinv": m = f"sshd[{r['pid']}]: Failed password for invalid user {r['user']} from {r['ip']} port {r['port']} ssh2"
        elif k == "ok": m = f"sshd[{r['pid']}]: Accepted publickey for {r['user']} from {r['ip']} port {r['port']} ssh2: ED25519"
        elif k == "cron": m = f"CRON[{r['pid']}]: pam_unix(cron:session): session opened for user root(uid=0)"
        else: m = f"sudo: {r['user']} : TTY=pts/0 ; PWD=/home/{r['user']} ; USER=root ; COMMAND={r['cmd']}"
        L.append(h + m)
    write("auth.log", "\n".join(L) + "\n")
    F = [r for r in rows if r["k"] in ("fail", "failinv")]
    ask("auth.log", [
        ("auth-failed", "how many failed password attempts are in here", one(len(F))),
        ("auth-root", "Failed logins for root, how much?", one(sum(r["user"] == "root" for r in F))),
        ("auth-top-ip", "from which IP come the most failed password?", one(best(Counter(r["ip"] for r in F)))),
        ("auth-deploy-ok", "How many times has deploy logged in successfully (accepted publickey)?", one(sum(r["k"] == "ok" and r["user"] == "deploy" for r in rows))),
        ("auth-mar5", "how many lines on march 5?", one(sum(r["t"].day == 5 for r in rows))),
        ("auth-nginx", "how often was nginx restarted", one(sum(r.get("cmd", "").endswith("restart nginx") for r in rows))),
        ("auth-invalid", "Wie viele Versuche gab es mit ungültigen Benutzern (invalid user)?", one(sum(r["k"] == "failinv" for r in rows))),
    ])


# ---------------------------------------------------------------- 6 logfmt
def logfmt(k=0):
    R = random.Random(1306 + 1000 * k)
    t = datetime(2024, 11, 5, 7, 58, 2)
    paths = {"/checkout": (180, 3900), "/search": (40, 1600), "/profile": (15, 420), "/export": (900, 9000)}
    users = ["u_17", "u_23", "u_31", "u_44", "u_58", "u_90"]
    rows = []
    for _ in range(210):
        t += timedelta(seconds=R.randint(3, 95), milliseconds=R.randint(0, 999))
        p = R.choices(list(paths), [5, 8, 6, 2])[0]
        ms = R.randint(*paths[p])
        if ms == 1000: ms = 1001
        if ms > 1000: ms = ms // 10 * 10
        if ms == 1000: ms = 1010
        lvl = R.choices(["info", "warn", "error"], [80, 12, 10])[0]
        st = {"info": 200, "warn": R.choice([404, 429]), "error": R.choice([500, 503, 504])}[lvl]
        rows.append(dict(t=t, p=p, ms=ms, l=lvl, s=st, u=R.choices(users + [None], [5, 4, 3, 3, 2, 2, 2])[0]))
    L = []
    for r in rows:
        ms = r["ms"]
        d = f"{ms}ms" if ms < 1000 else f"{ms / 1000:g}s"
        msg = {"info": '"request done"', "warn": '"client problem"', "error": '"upstream failed"'}[r["l"]]
        L.append(f"ts={r['t'].isoformat(timespec='milliseconds')}Z level={r['l']} msg={msg} path={r['p']} status={r['s']} dur={d}" + (f" user={r['u']}" if r["u"] else ""))
    write("api.logfmt", "\n".join(L) + "\n")
    err = [r for r in rows if r["l"] == "error"]
    assert {r["p"] for r in err} == set(paths)
    ask("api.logfmt", [
        ("logfmt-over1s", "how many requests took longer than 1 second?", one(sum(r["ms"] > 1000 for r in rows))),
        ("logfmt-slowest", "slowest one, which path was that?", one(bestrow(rows, lambda r: r["ms"])["p"])),
        ("logfmt-avg-checkout", "mean duration of /checkout in ms", one(mean(r["ms"] for r in rows if r["p"] == "/checkout"))),
        ("logfmt-errors-path", "count of level=error lines per path?", [[k, str(v)] for k, v in Counter(r["p"] for r in err).items()]),
        ("logfmt-429", "how often did we answer 429", one(sum(r["s"] == 429 for r in rows))),
        ("logfmt-nouser", "requests without a user, how many are there", one(sum(r["u"] is None for r in rows))),
        ("logfmt-8-9-err", "Wie viele Fehler (level error) gab es zwischen 8 und 9 Uhr?", one(sum(r["t"].hour == 8 for r in err))),
    ])


# ---------------------------------------------------------------- 7 orders.jsonl
def orders(k=0):
    R = random.Random(1307 + 1000 * k)
    cust = {"Anna Weber": "Germany", "Luca Bianchi": "Italy", "Sofie Larsen": "Denmark", "Jean Petit": "France", "Maria Santos": "Portugal",
            "Jan de Vries": "Netherlands", "Eva Novotná": "Czechia", "Karl Huber": "Germany", "Chloé Martin": "France"}
    rows = []
    for i in range(110):
        n = R.choice(list(cust))
        rows.append(dict(id=f"A-{20410 + i * 3}", n=n, c=cust[n], cents=R.randint(899, 42900), st=R.choices(["paid", "pending", "refunded", "cancelled"], [70, 14, 8, 8])[0],
                         d=datetime(2024, 4, 1, 8) + timedelta(minutes=R.randint(0, 131000)), coupon=R.choice([None, None, None, "SPRING10", "WELCOME5", "VIP20"]), items=R.randint(1, 7)))
    rows.sort(key=lambda r: r["d"])
    for i, r in enumerate(rows): r["id"] = f"A-{20410 + i * 3}"
    L = []
    for r in rows:
        o = {"order": r["id"], "created_at": r["d"].isoformat() + "Z", "customer": {"name": r["n"], "country": r["c"]}, "items": r["items"], "total": r["cents"] / 100, "currency": "EUR", "status": r["st"]}
        if r["coupon"]: o["coupon"] = r["coupon"]
        L.append(json.dumps(o, ensure_ascii=False))
    write("orders.jsonl", "\n".join(L) + "\n")
    e = lambda r: Fr(r["cents"], 100)
    paid = [r for r in rows if r["st"] == "paid"]
    assert {r["c"] for r in paid} == set(cust.values())
    ask("orders.jsonl", [
        ("orders-germany", "how many orders came from Germany?", one(sum(r["c"] == "Germany" for r in rows))),
        ("orders-rev-country", "Kindly provide the total of the paid orders per country.", groups(sumby(paid, "c", e))),
        ("orders-top-cust", "Which customer has spent the most, counting only orders with status paid?", one(best(sumby(paid, "n", e)))),
        ("orders-nocoupon", "how many orders didn't use any coupon", one(sum(r["coupon"] is None for r in rows))),
        ("orders-pending-max", "which of the pending orders has the highest total?", one(bestrow([r for r in rows if r["st"] == "pending"], lambda r: r["cents"])["id"])),
        ("orders-may-avg", "What was the average order total in May 2024, all statuses together?", one(mean(e(r) for r in rows if r["d"].month == 5))),
        ("orders-refunded", "how much money is in refunded orders?", one(sum(e(r) for r in rows if r["st"] == "refunded"))),
        ("orders-null-carrier", "which carrier delivers the most of our parcels?", None),
    ])


# ---------------------------------------------------------------- 8 vitals.md
def vitals(k=0):
    R = random.Random(1308 + 1000 * k)
    ns = "Aalto,Brandt,Castillo,Demir,Eriksen,Fontana,Grabowski,Haddad,Ivanova,Jansen,Kovács,Lindqvist,Mbeki,Nakamura,O'Brien,Petrov,Queiroz,Rahman,Schulz,Tanaka,Ugarte,Vogel,Wójcik,Zhang".split(",")
    meds = ["Paracetamol 500 mg", "Ibuprofen 400 mg", "Metoprolol 47.5 mg", "Insulin 8 IU", "Paracetamol 1 g, Pantoprazole 20 mg", "Ramipril 5 mg, Metoprolol 95 mg", ""]
    rows = []
    for i, n in enumerate(ns):
        t10 = R.choice([363, 365, 366, 367, 368, 369, 370, 372, 374, 379, 382, 384, 387, 391])
        rows.append(dict(n=n, room=201 + i // 3, h=7, mi=R.randint(2, 58), t=None if R.random() < .1 else t10, pulse=R.randint(52, 118),
                         sys=R.randint(96, 172), dia=R.randint(55, 98), meds=R.choice(meds)))
    tmp = lambda x: "—" if x is None else f"{x // 10}.{x % 10} °C"
    L = ["# Ward 2 - morning round, 14 January", "", "Values taken between 7 and 8, night shift handed over at 6:45.", "",
         "| Patient | Room | Time | Temp | Pulse | Blood pressure | Medication |", "|:---|---:|:---:|---:|---:|:---:|:---|"]
    for r in rows:
        L.append(f"| {r['n']} | {r['room']} | 07:{r['mi']:02d} | {tmp(r['t'])} | {r['pulse']} bpm | {r['sys']}/{r['dia']} | {r['meds']} |")
    write("morning_round.md", "\n".join(L) + "\n")
    assert any(r["t"] is None for r in rows)
    ask("morning_round.md", [
        ("vit-fever", "Please, which patients are having temperature over 38?", names(r["n"] for r in rows if r["t"] and r["t"] > 380)),
        ("vit-notemp", "For who the temperature was not measured?", names(r["n"] for r in rows if r["t"] is None)),
        ("vit-pulse-max", "Who has the highest pulse?", one(bestrow(rows, lambda r: r["pulse"])["n"])),
        ("vit-avg-temp", "what is average temperature of the ward", one(mean(Fr(r["t"], 10) for r in rows if r["t"]))),
        ("vit-para", "how many patients did get paracetamol?", one(sum("Paracetamol" in r["meds"] for r in rows))),
        ("vit-room", "Who is laying in room 204?", names(r["n"] for r in rows if r["room"] == 204)),
        ("vit-pulse-kovacs", "pulse of Kovács?", one(next(r["pulse"] for r in rows if r["n"] == "Kovács"))),
        ("vit-null-spo2", "What was the oxygen saturation of Mrs Ivanova?", None),
    ])


# ---------------------------------------------------------------- 9 wohnungen
def wohnungen(k=0):
    R = random.Random(1309 + 1000 * k)
    orte = ["Freiburg", "Offenburg", "Lahr", "Emmendingen", "Kehl"]
    str_ = ["Hauptstraße", "Gartenweg", "Lindenallee", "Schillerstraße", "Am Bach", "Bahnhofstraße", "Rosenweg", "Kirchgasse"]
    rows = []
    for i in range(48):
        z = R.choice([2, 3, 4, 4, 5, 6, 7, 8])  # half rooms
        fl = z * R.randint(95, 150)             # tenths of m2
        o = R.choice(orte)
        k = fl * R.randint(95, 168) * (115 if o == "Freiburg" else 92) // 1000 * 10
        rows.append(dict(nr=f"WG-{i + 1:03d}", s=f"{R.choice(str_)} {R.randint(1, 88)}", o=o, z=z, fl=fl, k=k, nk=R.randint(9, 32) * 1000,
                         frei="sofort" if R.random() < .3 else date(2025, R.randint(2, 7), R.choice([1, 15])), b=R.choice(["ja", "nein", "ja", ""])))
    L = ["Objekt-Nr.;Straße;Ort;Zimmer;Wohnfläche;Kaltmiete;Nebenkosten;Frei ab;Balkon"]
    for r in rows:
        L.append(";".join([r["nr"], r["s"], r["o"], str(r["z"] // 2) + (",5" if r["z"] % 2 else ""), f"{r['fl'] // 10},{r['fl'] % 10} m²", eur(r["k"]) + " €", eur(r["nk"]) + " €",
                           r["frei"] if isinstance(r["frei"], str) else r["frei"].strftime("%d.%m.%Y"), r["b"]]))
    write("wohnungen.csv", "\ufeff" + "\r\n".join(L) + "\r\n")
    k = lambda r: Fr(r["k"], 100)
    w14 = next(r for r in rows if r["nr"] == "WG-014")
    ask("wohnungen.csv", [
        ("whg-avg-off", "Wie hoch ist die durchschnittliche Kaltmiete in Offenburg?", one(mean(k(r) for r in rows if r["o"] == "Offenburg"))),
        ("whg-balkon", "wie viele haben sicher einen balkon?", one(sum(r["b"] == "ja" for r in rows))),
        ("whg-3zi-900", "Welche Objektnummern haben mindestens 3 Zimmer und kosten unter 900 € kalt?", names(r["nr"] for r in rows if r["z"] >= 6 and r["k"] < 90000)),
        ("whg-sofort", "Anzahl der Wohnungen, die sofort frei sind", one(sum(r["frei"] == "sofort" for r in rows))),
        ("whg-warm14", "was kostet WG-014 warm, also kalt plus nebenkosten?", one(Fr(w14["k"] + w14["nk"], 100))),
        ("whg-groesste", "Welche Wohnung ist die größte (Objektnummer)?", one(bestrow(rows, lambda r: r["fl"])["nr"])),
        ("whg-je-ort", "Wie viele Angebote gibt es je Ort?", [[o, str(c)] for o, c in Counter(r["o"] for r in rows).items()]),
        ("whg-null-haustier", "In welchen Wohnungen sind Haustiere erlaubt?", None),
    ])


# ---------------------------------------------------------------- 10 kassenbuch
def kasse(k=0):
    R = random.Random(1310 + 1000 * k)
    rows = []
    def add(d, txt, kat, ein=None, aus=None):
        rows.append(dict(d=d, txt=txt, kat=kat, e=ein, a=aus))
    for nm in ["Albrecht", "Bauer", "Çelik", "Dietz", "Ebert", "Falk", "Gruber", "Hahn", "Jäger", "Kranz", "Lutz", "Moser", "Nagel", "Ott", "Pohl"]:
        add(date(2023, R.randint(1, 4), R.randint(1, 28)), f"Beitrag {nm}", "Mitgliedsbeitrag", ein=R.choice([4800, 6000, 9600]))
    for i, m in enumerate([1, 3, 4, 6, 8, 9, 11]):
        add(date(2023, m, R.randint(1, 28)), f"Hallenmiete {i + 1}. Rate", "Miete", aus=R.randint(18000, 26000))
    for t, c in [("Volleybälle, 6 Stück", 23394), ("Netz", 11890), ("Trikots Jugend", 74235), ("Erste-Hilfe-Koffer", 4199), ("Leibchen", 6350), ("Ballpumpe", 1899)]:
        add(date(2023, R.randint(2, 11), R.randint(1, 28)), t, "Material", aus=c)
    for t, c in [("Spende Bäckerei Kuhn", 15000), ("Spende anonym", 5000), ("Spende Sparkasse", 50000)]:
        add(date(2023, R.randint(3, 12), R.randint(1, 28)), t, "Spende", ein=c)
    for t, c in [("Sommerfest Getränkeverkauf", 68720), ("Sommerfest Kuchenverkauf", 21450)]:
        add(date(2023, 7, 15), t, "Veranstaltung", ein=c)
    for t, c in [("Sommerfest Einkauf", 41288), ("Weihnachtsfeier Essen", 132560), ("Pokale", 8925)]:
        add(date(2023, 12 if "Weih" in t else 7, R.randint(1, 14)), t, "Veranstaltung", aus=c)
    for i in range(12):
        add(date(2023, i + 1, 28), "Kontoführung", "Bank", aus=R.choice([490, 490, 590]))
    rows.sort(key=lambda r: r["d"])
    n = 0
    for r in rows:
        if r["txt"] != "Kontoführung" and R.random() > .15:
            n += 1; r["beleg"] = f"B{n:03d}"
        else: r["beleg"] = ""
    se = sum(r["e"] or 0 for r in rows); sa = sum(r["a"] or 0 for r in rows)
    L = ["Datum;Beleg;Text;Kategorie;Einnahme;Ausgabe"]
    for r in rows:
        L.append(";".join([r["d"].strftime("%d.%m.%Y"), r["beleg"], r["txt"], r["kat"], "" if r["e"] is None else eur(r["e"]), "" if r["a"] is None else eur(r["a"])]))
    L.append(f"Summe;;;;{eur(se)};{eur(sa)}")
    write("kassenbuch_2023.csv", "\n".join(L) + "\n")
    A = [r for r in rows if r["a"] is not None]
    ask("kassenbuch_2023.csv", [
        ("kasse-ausg", "Wie hoch waren unsere Ausgaben 2023 insgesamt?", one(Fr(sa, 100))),
        ("kasse-maerz", "Was haben wir im März eingenommen?", one(Fr(sum(r["e"] or 0 for r in rows if r["d"].month == 3), 100))),
        ("kasse-beitrag", "summe mitgliedsbeiträge?", one(Fr(sum(r["e"] for r in rows if r["kat"] == "Mitgliedsbeitrag"), 100))),
        ("kasse-max", "Was war die größte einzelne Ausgabe?", one(bestrow(A, lambda r: r["a"])["txt"])),
        ("kasse-saldo", "Was bleibt unterm Strich übrig, Einnahmen minus Ausgaben?", one(Fr(se - sa, 100))),
        ("kasse-kat", "Bitte die Ausgaben nach Kategorie aufschlüsseln.", groups(sumby(A, "kat", lambda r: Fr(r["a"], 100)))),
        ("kasse-spenden", "Wie viel haben wir an Spenden bekommen?", one(Fr(sum(r["e"] for r in rows if r["kat"] == "Spende"), 100))),
        ("kasse-ohne-beleg", "bei wie vielen ausgaben fehlt der beleg?", one(sum(not r["beleg"] for r in A))),
    ])


# ---------------------------------------------------------------- 11 loans
def loans(k=0):
    R = random.Random(1311 + 1000 * k)
    books = [("The Lion, the Witch and the Wardrobe", "Lewis, C. S."), ("Matilda", "Dahl, Roald"), ("The BFG", "Dahl, Roald"), ("The Hobbit", "Tolkien, J. R. R."), ("Holes", "Sachar, Louis"),
             ("Wonder", "Palacio, R. J."), ("Charlotte's Web", "White, E. B."), ("Northern Lights", "Pullman, Philip"), ("Skellig", "Almond, David"), ("Stig of the Dump", "King, Clive"),
             ("Goodnight Mister Tom", "Magorian, Michelle"), ("Esio Trot", "Dahl, Roald"), ("Danny, the Champion of the World", "Dahl, Roald"), ("War Horse", "Morpurgo, Michael"), ("Private Peaceful", "Morpurgo, Michael"),
             ("Truckers", "Pratchett, Terry"), ("A Wizard of Earthsea", "Le Guin, Ursula K."), ("Watership Down", "Adams, Richard"), ("The Silver Sword", "Serraillier, Ian"), ("Five Children and It", "Nesbit, E.")]
    kids = [("Maisie", "5A"), ("Oscar", "5A"), ("Zain", "5B"), ("Freya", "5B"), ("Leo", "6A"), ("Amara", "6A"), ("Ruby", "6B"), ("Theo", "6B"), ("Noor", "6B")]
    rows = []
    for t, a in books:
        d = date(2024, 9, 4) + timedelta(R.randint(0, 20))
        for i in range(R.randint(1, 4)):
            due = d + timedelta(14)
            back = d + timedelta(R.randint(3, 25))
            kid = R.choices(kids, [3, 2, 2, 5, 2, 3, 1, 2, 2])[0]
            rows.append(dict(t=t, a=a, k=kid[0], c=kid[1], d=d, due=due, back=back, last=False))
            d = back + timedelta(R.randint(1, 9))
        if R.random() < .35: rows[-1]["back"] = None
    rows.sort(key=lambda r: r["d"])
    f = lambda d: d.strftime("%d/%m/%Y") if d else ""
    L = ['"Title","Author","Borrower","Class","Lent","Due","Returned"']
    for r in rows: L.append(",".join('"' + x + '"' for x in [r["t"], r["a"], r["k"], r["c"], f(r["d"]), f(r["due"]), f(r["back"])]))
    write("library_loans.csv", "\n".join(L) + "\n")
    late = [r for r in rows if r["back"] and r["back"] > r["due"]]
    done = [r for r in rows if r["back"]]
    ask("library_loans.csv", [
        ("lib-out", "Which books have not been returned yet?", names(r["t"] for r in rows if not r["back"])),
        ("lib-late", "How many loans came back after the due date?", one(len(late))),
        ("lib-top-kid", "who borrows the most?", one(best(Counter(r["k"] for r in rows)))),
        ("lib-dahl", "how many loans of Roald Dahl books did we have", one(sum(r["a"].startswith("Dahl") for r in rows))),
        ("lib-oct", "Loans made in October - number please.", one(sum(r["d"].month == 10 for r in rows))),
        ("lib-class", "loans per class", [[k, str(v)] for k, v in Counter(r["c"] for r in rows).items()]),
        ("lib-titles", "How many different titles went out?", one(len({r["t"] for r in rows}))),
        ("lib-avg-days", "On average, for how many days do the children keep a book before they bring it back?", one(mean((r["back"] - r["d"]).days for r in done))),
    ])


# ---------------------------------------------------------------- 12 runs
def runs(k=0):
    R = random.Random(1312 + 1000 * k)
    routes = {"river": (5000, 9000), "park loop": (3000, 5200), "track": (400, 1400), "forest": (7000, 16000), "city": (4000, 12000)}
    d = date(2024, 1, 2)
    rows = []
    used = set()
    while d < date(2024, 6, 30):
        rt = R.choices(list(routes), [5, 5, 4, 3, 2])[0]
        m = R.randint(*routes[rt]) // 100 * 100
        while m in (10000, 1000) : m += 300
        sec = m * R.randint(285, 410) // 1000
        rows.append(dict(d=d, rt=rt, m=m, sec=sec, hr=None if R.random() < .15 else R.randint(128, 176), shoes=R.choice(["Pegasus", "Ghost", "Ghost", "Cloud"]), tag=R.choice(["", "", "windy", "felt great", "knee hurts", "rain, cold"])))
        d += timedelta(R.randint(1, 5))
    # one clear longest
    L = ["day,route,distance,time,avg hr,shoes,notes"]
    for r in rows:
        m, s = r["m"], r["sec"]
        L.append(",".join([r["d"].isoformat(), r["rt"], f"{m} m" if m < 1000 else f"{m / 1000:g} km", f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}", "" if r["hr"] is None else str(r["hr"]), r["shoes"], q(r["tag"])]))
    write("runs.csv", "\n".join(L) + "\n")
    km = lambda r: Fr(r["m"], 1000)
    assert sum(r["m"] < 1000 for r in rows) >= 4
    ask("runs.csv", [
        ("run-total", "how many km have i run so far?", one(sum(km(r) for r in rows))),
        ("run-longest", "when was my longest run, distance wise?", one(bestrow(rows, lambda r: r["m"])["d"].isoformat())),
        ("run-hr-peg", "avg hr with the pegasus?", one(mean(r["hr"] for r in rows if r["hr"] and r["shoes"] == "Pegasus"))),
        ("run-over10", "runs over 10 km, how many?", one(sum(r["m"] > 10000 for r in rows))),
        ("run-april", "km in april?", one(sum(km(r) for r in rows if r["d"].month == 4))),
        ("run-knee", "how often did my knee hurt lol", one(sum("knee" in r["tag"] for r in rows))),
        ("run-shoes-km", "how many km on each pair of shoes", groups(sumby(rows, "shoes", km))),
        ("run-null-weight", "how much did i weigh in march?", None),
    ])


# ---------------------------------------------------------------- 13 backups
def backups(k=0):
    R = random.Random(1313 + 1000 * k)
    hosts = {"db01": (900, 6200), "web01": (80, 700), "mail": (1100, 4100), "files": (3000, 9500), "git": (150, 900)}
    rows = []
    for i in range(24):
        for h, (lo, hi) in hosts.items():
            if R.random() < .05: continue
            res = R.choices(["ok", "failed", "skipped"], [88, 8, 4])[0]
            if h == "git": res = "ok"
            mb = R.randint(lo, hi)
            if mb >= 1000:
                mb = max(11, round(mb / 100)) * 100
                if mb == 2000: mb = 2200
                if mb % 1000 == 0: mb += 100
            elif mb > 900: mb = 880
            rows.append(dict(h=h, t=datetime(2024, 10, 1 + i, 1, 0) + timedelta(minutes=R.randint(0, 170)), mb=mb if res == "ok" else None,
                             sec=R.randint(4, 5400) if res == "ok" else None if res == "skipped" else R.randint(2, 90), res=res))
    L = ["host|started|took|size|result"]
    for r in rows:
        s = r["sec"]
        tk = "" if s is None else f"{s}s" if s < 60 else f"{s // 60}m{s % 60:02d}s" if s < 3600 else f"{s // 3600}h{s % 3600 // 60:02d}m{s % 60:02d}s"
        sz = "-" if r["mb"] is None else f"{r['mb']} MB" if r["mb"] < 1000 else f"{r['mb'] / 1000:.1f} GB"
        L.append("|".join([r["h"], r["t"].strftime("%Y-%m-%d %H:%M"), tk, sz, r["res"]]))
    write("backups.txt", "\n".join(L) + "\n")
    ok = [r for r in rows if r["res"] == "ok"]
    assert all(r["sec"] != 3600 for r in ok)
    mx = bestrow(ok, lambda r: r["mb"])
    last = [r for r in rows if r["h"] == "mail" and r["res"] == "ok"]
    ask("backups.txt", [
        ("bak-failed", "How many backups are failed?", one(sum(r["res"] == "failed" for r in rows))),
        ("bak-failed-host", "Please make me the list how many failed for each host which had a failure", [[k, str(v)] for k, v in Counter(r["h"] for r in rows if r["res"] == "failed").items()]),
        ("bak-biggest", "Which host has made the biggest backup?", one(mx["h"])),
        ("bak-over2", "how many are bigger then 2 GB", one(sum(r["mb"] > 2000 for r in ok))),
        ("bak-longest", "what host had the backup with longest duration?", one(bestrow(ok, lambda r: r["sec"])["h"])),
        ("bak-over1h", "how many did take more than one hour", one(sum(r["sec"] > 3600 for r in ok))),
        ("bak-db-oct", "wie oft wurde db01 erfolgreich gesichert?", one(sum(r["h"] == "db01" for r in ok))),
    ])


# ---------------------------------------------------------------- 14 zeiten
def zeiten(k=0):
    R = random.Random(1314 + 1000 * k)
    rows = []
    for w in ["Anja", "Yusuf", "Petra", "Milan"]:
        d = date(2025, 1, 7)
        while d < date(2025, 3, 29):
            if d.weekday() < 5 and R.random() < .72:
                art = R.choices(["Arbeit", "Krank", "Urlaub"], [88, 5, 7])[0]
                r = dict(w=w, d=d, art=art, p=None, q=None, k=None)
                if art == "Arbeit":
                    r["p"] = R.choice(["Lagerumbau", "Inventur", "Kundendienst", "Büro"])
                    r["q"] = R.randint(16, 40)
                    if r["q"] == 36: r["q"] = 37
                    k = R.choice([6 * 60 + 30, 7 * 60, 7 * 60 + 15, 7 * 60 + 45, 8 * 60, 8 * 60 + 20, 9 * 60 + 5])
                    r["k"] = k
                rows.append(r)
            d += timedelta(1)
    rows.sort(key=lambda r: (r["d"], r["w"]))
    L = ["Mitarbeiter\tDatum\tArt\tProjekt\tBeginn\tStunden"]
    for r in rows:
        h = "" if r["q"] is None else f"{r['q'] // 4}" + {0: "", 1: ",25", 2: ",5", 3: ",75"}[r["q"] % 4]
        L.append("\t".join([r["w"], f"{r['d'].day}.{r['d'].month}.{r['d'].year}", r["art"], r["p"] or "", "" if r["k"] is None else f"{r['k'] // 60:02d}:{r['k'] % 60:02d}", h]))
    write("zeiten.tsv", "\n".join(L) + "\n", "utf-8")
    A = [r for r in rows if r["q"] is not None]
    h = lambda r: Fr(r["q"], 4)
    ask("zeiten.tsv", [
        ("zeit-yusuf-feb", "Wie viele Stunden hat Yusuf im Februar gearbeitet?", one(sum(h(r) for r in A if r["w"] == "Yusuf" and r["d"].month == 2))),
        ("zeit-projekt", "Stunden je Projekt bitte", groups(sumby(A, "p", h))),
        ("zeit-krank", "Wer war am häufigsten krank?", one(best(Counter(r["w"] for r in rows if r["art"] == "Krank")))),
        ("zeit-urlaub-petra", "urlaubstage petra?", one(sum(r["art"] == "Urlaub" and r["w"] == "Petra" for r in rows))),
        ("zeit-anja-schnitt", "Wie viele Stunden arbeitet Anja durchschnittlich an einem Arbeitstag?", one(mean(h(r) for r in A if r["w"] == "Anja"))),
        ("zeit-nach9", "Wie oft hat jemand erst nach 9 Uhr angefangen?", one(sum(r["k"] > 540 for r in A))),
        ("zeit-ueber9", "In wie vielen Einträgen stehen mehr als 9 Stunden?", one(sum(r["q"] > 36 for r in A))),
        ("zeit-null-lohn", "Was verdient Milan pro Stunde?", None),
    ])


for f in (trip, shop, marks, nginx, auth, logfmt, orders, vitals, wohnungen, kasse, loans, runs, backups, zeiten):
    for k in range(60):  # next seed where an answer would be tied or empty
        try:
            f(k)
            print(f.__name__, "seed step", k)
            break
        except AssertionError as ex:
            print(f.__name__, k, str(ex)[:90])
    else:
        raise SystemExit("no seed for " + f.__name__)
with open(os.path.join(HERE, "questions.json"), "w", encoding="utf-8") as f:
    json.dump(BATCH, f, ensure_ascii=False, indent=1)
n = [qq for b in BATCH for qq in b["questions"]]
assert len({x[0] for x in n}) == len(n)
print(len(BATCH), "files", len(n), "questions", sum(x[2] is None for x in n), "null")

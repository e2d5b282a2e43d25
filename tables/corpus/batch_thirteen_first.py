"""The first files of the thirteenth batch and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import random
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction as Fr
from statistics import median

from common import Author

AUTHOR = Author("thirteen", 13)
write, ask = AUTHOR.write, AUTHOR.ask


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

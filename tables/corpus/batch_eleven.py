"""The other files of the eleventh batch and their questions."""
import random
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from batch_eleven_first import access, avg, csvtext, de, grades, kassenbuch, lst, money, moneyavg, num, one, orders, q, top, worker, write


# ------------------------------------------------------------------ 6 expenses, US style, with a TOTAL line
def expenses():
    F = "expenses_q1.csv"
    R = random.Random(1106)
    vend = [("Smith, Jones & Co.", "Legal"), ("Delta Air Lines", "Travel"), ("Hilton Garden Inn", "Travel"), ("Uber", "Travel"), ("Adobe, Inc.", "Software"),
            ("Zoom Video", "Software"), ("GitHub", "Software"), ("Staples", "Office supplies"), ("Costco", "Office supplies"), ("Meyer Catering", "Meals"),
            ("The \"Old\" Diner", "Meals"), ("FedEx", "Shipping")]
    rng = {"Legal": (60000, 480000), "Travel": (2200, 95000), "Software": (1400, 62000), "Office supplies": (800, 21000), "Meals": (1500, 38000), "Shipping": (700, 9000)}
    rows = []
    for _ in range(118):
        v, c = R.choices(vend, [3, 12, 9, 16, 8, 6, 7, 14, 8, 8, 9, 12])[0]
        a = R.randrange(*rng[c]) if v != "Uber" else R.randrange(1180, 9600)
        ref = False
        if c in ("Travel", "Software", "Office supplies") and v not in ("Uber",) and R.random() < .08:
            a, ref = -(a // 3 + 100), True
        rows.append(dict(d=date(2025, 1, 1) + timedelta(days=R.randrange(90)), v=v, c=c, a=a, ref=ref, by=R.choice(["Dana", "Rick", "Rick", "Priya"]),
                         rec=R.choices(["Y", "N"], [86, 14])[0], note="refund" if ref else R.choice(["", "", "", "client visit, Denver", "monthly", "rush"])))
    rows.sort(key=lambda r: r["d"])
    usd = lambda a: f"(${-a // 100:,}.{-a % 100:02d})" if a < 0 else f"${a // 100:,}.{a % 100:02d}"
    out = [["Date", "Vendor", "Category", "Amount", "Submitted by", "Receipt on file", "Notes"]]
    out += [[r["d"].strftime("%m/%d/%Y"), r["v"], r["c"], usd(r["a"]), r["by"], r["rec"], r["note"]] for r in rows]
    tot = sum(r["a"] for r in rows)
    out.append(["TOTAL", "", "", usd(tot), "", "", ""])
    write(F, csvtext(out))
    q(F, "total", "What's our net total for the quarter?", one(money(tot)))
    q(F, "february", "How much did we spend in February, refunds netted off?", one(money(sum(r["a"] for r in rows if r["d"].month == 2))))
    net, gross = Counter(), Counter()
    for r in rows:
        net[r["v"]] += r["a"]
        gross[r["v"]] += max(r["a"], 0)
    assert top(net.items())[0][0] == top(gross.items())[0][0]
    q(F, "biggest-vendor", "Which vendor got the most money from us overall?", one(top(net.items())[0][0]))
    nr = [r for r in rows if r["rec"] == "N" and r["a"] > 30000]
    assert 2 <= len(nr) <= 9 and len({(r["v"], r["a"]) for r in nr}) == len(nr)
    q(F, "no-receipt-over-300", "List the expenses over $300 that have no receipt on file – vendor and amount.", [[r["v"], money(r["a"])] for r in nr])
    rv = sorted({r["v"] for r in rows if r["ref"]})
    assert 3 <= len(rv)
    q(F, "refund-vendors", "Which vendors have given us refunds?", lst(rv))
    q(F, "lines-per-person", "How many expense lines did each person submit?", [[k, num(v)] for k, v in Counter(r["by"] for r in rows).most_common()])
    q(F, "uber-average", "average uber ride cost?", one(moneyavg([r["a"] for r in rows if r["v"] == "Uber"])))


# ------------------------------------------------------------------ 7 vitals
def vitals():
    F = "ward3_vitals.csv"
    R = random.Random(1107)
    pats = [("Mrs Albright", "301"), ("Mr Banerjee", "302"), ("Mrs Castillo", "302"), ("Mr Donnelly", "304"), ("Mrs Eriksen", "305"), ("Mr Fontaine", "306"),
            ("Ms Greene", "307"), ("Mr Hoang", "308"), ("Mrs Ivanova", "308")]
    bias = {"Mr Donnelly": 1.3, "Mrs Ivanova": 1.0, "Mr Fontaine": .8}
    while True:
        rows = []
        for day in (14, 15, 16):
            for slot in (6, 10, 14, 18, 22):
                for p, room in pats:
                    if R.random() < .07:
                        continue
                    tm = datetime(2025, 1, day, slot, R.randrange(1, 50))
                    temp = None if R.random() < .06 else int(round((R.gauss(36.8, .35) + bias.get(p, 0) * R.random()) * 10))
                    sys_ = int(R.gauss(129, 13)); dia = int(R.gauss(79, 8))
                    bp = None if R.random() < .04 else (sys_, dia)
                    rows.append(dict(p=p, room=room, t=tm, temp=temp, bp=bp, pulse=int(R.gauss(80, 11)), spo2=None if R.random() < .04 else min(99, int(R.gauss(95.6, 2.1))),
                                     nurse={6: "Petra", 10: "Petra", 14: "Joel", 18: "Joel", 22: "Samira"}[slot]))
        fev = {r["p"] for r in rows if r["temp"] and r["temp"] > 380}
        s = sorted((r["pulse"] for r in rows), reverse=True)
        if 2 <= len(fev) <= 4 and s[0] > s[1] and any(r["spo2"] and r["spo2"] < 92 for r in rows):
            break
    rows.sort(key=lambda r: (r["t"], r["p"]))
    out = [["patient", "room", "taken", "temp", "BP", "pulse", "O2 sat", "nurse"]]
    for r in rows:
        ts = "" if r["temp"] is None else "%d.%d" % divmod(r["temp"], 10)
        if ts and R.random() < .08:
            ts = ts.replace(".", ",")
        elif ts and R.random() < .08:
            ts += " °C"
        out.append([r["p"], r["room"], r["t"].strftime("%Y-%m-%d %H:%M"), ts, "%d/%d" % r["bp"] if r["bp"] else "", r["pulse"],
                    "" if r["spo2"] is None else "%d%%" % r["spo2"], r["nurse"]])
    write(F, csvtext(out))
    q(F, "fever", "Which patients had a temperature above 38 at any point?", lst(sorted({r["p"] for r in rows if r["temp"] is not None and r["temp"] > 380})))
    q(F, "low-oxygen", "how many readings with oxygen saturation under 92?", one(num(sum(r["spo2"] is not None and r["spo2"] < 92 for r in rows))))
    m = max(rows, key=lambda r: r["pulse"])
    q(F, "highest-pulse", "Who had the highest pulse, and when was that?", [[m["p"], m["t"].strftime("%Y-%m-%d %H:%M")]])
    q(F, "donnelly-temp", "What was Mr Donnelly's average temperature?", one(num(Fraction(sum(r["temp"] for r in rows if r["p"] == "Mr Donnelly" and r["temp"]),
      10 * sum(1 for r in rows if r["p"] == "Mr Donnelly" and r["temp"])))))
    q(F, "no-temp", "For how many checks did nobody note the temperature?", one(num(sum(r["temp"] is None for r in rows))))
    q(F, "jan15-morning", "how many checks were done on 15 January before noon", one(num(sum(r["t"].day == 15 and r["t"].hour < 12 for r in rows))))
    q(F, "petra", "Wie viele Messungen hat Petra gemacht?", one(num(sum(r["nurse"] == "Petra" for r in rows))))
    q(F, "diabetic", "Which of the patients are diabetic?", None)


# ------------------------------------------------------------------ 8 syslog auth.log
def auth():
    F = "auth.log"
    R = random.Random(1108)
    bad = ["203.0.113.5", "203.0.113.61", "198.51.100.23", "192.0.2.200", "198.51.100.140"]
    t0 = datetime(2025, 3, 11, 0, 4, 9)
    secs = sorted(R.sample(range(4 * 86400 - 600), 230))
    cmds = ["/usr/bin/apt update", "/usr/bin/apt upgrade", "/usr/bin/systemctl restart nginx", "/usr/bin/journalctl -u sshd", "/usr/sbin/ufw status"]
    sudo_at = dict(zip(sorted(R.sample(range(230), 7)), [("anna", cmds[0]), ("anna", cmds[1]), ("ben", cmds[4]), ("anna", cmds[2]), ("ben", cmds[2]), ("anna", cmds[3]), ("ben", cmds[0])]))
    rows = []
    for i, s in enumerate(secs):
        t = t0 + timedelta(seconds=s)
        port = R.randrange(32000, 61000)
        pid = R.randrange(900, 31000)
        if i in sudo_at:
            u, c = sudo_at[i]
            rows.append(dict(t=t, k="sudo", u=u, c=c, ip=None, l="sudo:     %s : TTY=pts/0 ; PWD=/home/%s ; USER=root ; COMMAND=%s" % (u, u, c)))
            continue
        x = R.random()
        if x < .62:
            u = R.choices(["root", "admin", "test", "oracle", "git", "anna"], [40, 22, 12, 8, 6, 3])[0]
            ip = R.choices(bad, [30, 18, 9, 5, 3])[0] if u != "anna" else "198.51.100.9"
            inv = "" if u in ("root", "anna") else "invalid user "
            rows.append(dict(t=t, k="fail", u=u, ip=ip, l="sshd[%d]: Failed password for %s%s from %s port %d ssh2" % (pid, inv, u, ip, port)))
        elif x < .82:
            u = R.choice(["deploy", "deploy", "anna", "ben"])
            ip = {"deploy": "10.0.0.8", "anna": "198.51.100.9", "ben": "10.0.0.31"}[u]
            how = "publickey" if u != "anna" else "password"
            rows.append(dict(t=t, k="ok", u=u, ip=ip, l="sshd[%d]: Accepted %s for %s from %s port %d ssh2" % (pid, how, u, ip, port)))
        else:
            ip = R.choice(bad)
            rows.append(dict(t=t, k="close", u=None, ip=ip, l="sshd[%d]: Connection closed by %s port %d [preauth]" % (pid, ip, port)))
    write(F, "".join("%s vps3 %s\n" % (r["t"].strftime("%b %d %H:%M:%S"), r["l"]) for r in rows))
    f = [r for r in rows if r["k"] == "fail"]
    q(F, "failed", "how many failed password attempts are in there", one(num(len(f))))
    q(F, "worst-ip", "Which address had the most failed password attempts?", one(top(Counter(r["ip"] for r in f).items())[0][0]))
    q(F, "root", "how often did somebody try to guess the root password?", one(num(sum(r["u"] == "root" for r in f))))
    q(F, "mar12", "Number of failed passwords on March 12", one(num(sum(r["t"].day == 12 for r in f))))
    q(F, "logins-per-user", "successful logins per user", [[k, num(v)] for k, v in Counter(r["u"] for r in rows if r["k"] == "ok").most_common()])
    q(F, "anna-sudo", "What commands did anna run through sudo?", lst([r["c"] for r in rows if r["k"] == "sudo" and r["u"] == "anna"]))
    q(F, "deploy-last", "When did deploy last log in?", one(max(r["t"] for r in rows if r["k"] == "ok" and r["u"] == "deploy").strftime("%b %d %H:%M:%S")))


# ------------------------------------------------------------------ 9 stock list (German, BOM)
def lager():
    F = "lagerliste.csv"
    R = random.Random(1109)
    goods = {"Tee": ["Assam kräftig", "Darjeeling First Flush", "Earl Grey", "Rooibos Vanille", "Kamille lose", "Pfefferminze", "Grüner Sencha", "Ostfriesenmischung"],
             "Kaffee": ["Espresso Bar", "Hausmischung", "Äthiopien Sidamo", "Entkoffeiniert", "Kolumbien Huila", "Crema gemahlen"],
             "Schokolade": ["Zartbitter 70 %", "Vollmilch Nuss", "Weiße Vanille", "Chili-Schokolade", "Trinkschokolade", "Marzipanriegel"],
             "Zubehör": ["Teekanne Gusseisen", "Teesieb Edelstahl", "French Press 1 l", "Filterpapier Gr. 4", "Kaffeemühle Hand", "Honiglöffel", "Milchaufschäumer", "Stövchen Keramik"],
             "Gebäck": ["Cantuccini", "Haferkekse", "Spekulatius", "Butterwaffeln", "Ingwerplätzchen"]}
    sup = {"Tee": ["Teehaus Ronnefeld", "Bünting"], "Kaffee": ["Rösterei Kiel", "Bünting"], "Schokolade": ["Coppeneur & Sohn"], "Zubehör": ["Haushalt Krause GmbH", "Rösterei Kiel"], "Gebäck": ["Bäckerei Thode"]}
    while True:
        rows, i = [], 0
        for g, names in goods.items():
            for n in names:
                i += 1
                ek = R.randrange(180, 1400) * (3 if g == "Zubehör" and R.random() < .5 else 1)
                vk = int(ek * R.uniform(1.35, 2.2)) // 10 * 10 + 9
                wt = R.choice([100, 150, 200, 250, 500, 750, 1000, 1250]) if g != "Zubehör" else R.choice([40, 180, 320, 680, 900, 1400, 1850])
                rows.append(dict(nr="A%04d" % (1000 + 7 * i), n=n, g=g, s=R.choice(sup[g]), st=R.randrange(0, 60), mn=R.choice([5, 8, 10, 12]), ek=ek, vk=vk, w=wt,
                                 d=None if R.random() < .08 else date(2023, 6, 1) + timedelta(days=R.randrange(560))))
        low = [r for r in rows if r["st"] < r["mn"]]
        ws = sorted((r["w"] for r in rows), reverse=True)
        old = [r for r in rows if r["d"] and r["d"].year < 2024]
        sp = sorted((r["vk"] - r["ek"] for r in rows), reverse=True)
        if 3 <= len(low) <= 8 and ws[0] > ws[1] and 3 <= len(old) <= 12 and sp[0] > sp[1] and sum(r["d"] is None for r in rows) >= 1 and any(r["st"] == 0 for r in rows):
            break
    def wt(w):
        if w >= 1000 or (w >= 500 and R.random() < .3):
            return (format(Decimal(w) / 1000, "f").rstrip("0").rstrip(".").replace(".", ",")) + " kg"
        return "%d g" % w
    out = [["Art.-Nr.", "Bezeichnung", "Warengruppe", "Lieferant", "Bestand", "Mindestbestand", "EK netto", "VK", "Gewicht", "letzte Lieferung"]]
    R.shuffle(rows)
    for r in rows:
        out.append([r["nr"], r["n"], r["g"], r["s"], r["st"], r["mn"], de(r["ek"]) + " €", de(r["vk"]) + " €", wt(r["w"]), r["d"].strftime("%d.%m.%y") if r["d"] else "k. A."])
    write(F, csvtext(out, ";", "\r\n"), bom=True)
    q(F, "nachbestellen", "Welche Artikel liegen unter dem Mindestbestand und müssen nachbestellt werden?", lst([r["n"] for r in rows if r["st"] < r["mn"]]))
    q(F, "lagerwert", "Was ist mein Lager zum Einkaufspreis wert?", one(money(sum(r["st"] * r["ek"] for r in rows))))
    q(F, "buenting", "wieviele artikel beziehen wir von bünting", one(num(sum(r["s"] == "Bünting" for r in rows))))
    q(F, "schwerster", "Welcher Artikel ist der schwerste?", one(top([(r["n"], r["w"]) for r in rows])[0][0]))
    q(F, "vk-je-gruppe", "Durchschnittlicher Verkaufspreis pro Warengruppe", [[g, moneyavg([r["vk"] for r in rows if r["g"] == g])] for g in goods])
    q(F, "vor-2024", "Welche Artikel wurden zuletzt vor 2024 geliefert?", lst([r["n"] for r in rows if r["d"] and r["d"].year < 2024]))
    q(F, "marge", "Bei welchem Artikel ist der Unterschied zwischen Verkaufs- und Einkaufspreis in Euro am größten?", one(top([(r["n"], r["vk"] - r["ek"]) for r in rows])[0][0]))
    q(F, "verkauft-mai", "Wie viele Packungen Tee haben wir im Mai verkauft?", None)


# ------------------------------------------------------------------ 10 running diary, tab separated
def runs():
    F = "runs_2024.tsv"
    R = random.Random(1110)
    while True:
        rows, d = [], date(2024, 3, 30)
        for _ in range(64):
            d += timedelta(days=R.choice([1, 2, 2, 3, 4]))
            route = R.choices(["Lake loop", "Hill", "Track", "City park"], [30, 14, 12, 25])[0]
            m = {"Lake loop": R.choice([8200, 8400, 12300]), "Hill": R.choice([6100, 6700, 9300, 14500]), "Track": R.choice([800, 1500, 3000, 5200]),
                 "City park": R.choice([4800, 5100, 7300, 10600])}[route] + R.choice([0, 0, 100, 200])
            if d.month == 6 and d.day == 16:
                m = 21100
            pace = {"Track": 268, "Hill": 372}.get(route, 331) + R.randrange(-22, 28)
            rows.append(dict(d=d, m=m, s=m * pace // 1000, shoe=R.choice(["Brooks", "Brooks", "Asics", "old Nikes"]), route=route, hr=None if R.random() < .1 else int(R.gauss(149, 8))))
        ds = sorted((r["m"] for r in rows), reverse=True)
        ps = sorted(Fraction(r["s"], r["m"]) for r in rows)
        if ds[0] > ds[1] and ps[1] - ps[0] > Fraction(1, 1000) and not any(r["m"] == 10000 for r in rows) and min(r["m"] for r in rows) < 1000:
            break
    def dist(m):
        if m < 3000 and m < 1600:
            return "%d m" % m
        return ("%d.%d" % (m // 1000, m % 1000 // 100)) + R.choice([" km", " km", "km"])
    clk = lambda s: "%d:%02d:%02d" % (s // 3600, s % 3600 // 60, s % 60) if s >= 3600 else "%d:%02d" % (s // 60, s % 60)
    out = [["date", "distance", "time", "shoes", "route", "avg HR"]]
    out += [[r["d"].isoformat(), dist(r["m"]), clk(r["s"]), r["shoe"], r["route"], r["hr"] if r["hr"] else "-"] for r in rows]
    write(F, csvtext(out, "\t"))
    km = lambda rs: num(Fraction(sum(r["m"] for r in rs), 1000))
    q(F, "may-km", "how many km did I run in May?", one(km([r for r in rows if r["d"].month == 5])))
    q(F, "longest", "When was my longest run and how far was it (in km)?", [[m["d"].isoformat(), km([m])] for m in [max(rows, key=lambda r: r["m"])]])
    q(F, "over-10k", "number of runs longer than 10 km", one(num(sum(r["m"] > 10000 for r in rows))))
    q(F, "km-per-shoe", "How many kilometres have I put on each pair of shoes?", [[s, km([r for r in rows if r["shoe"] == s])] for s in sorted({r["shoe"] for r in rows})])
    q(F, "hill-hr", "my average heart rate on the hill route", one(num(avg(r["hr"] for r in rows if r["route"] == "Hill" and r["hr"]))))
    q(F, "no-hr", "On how many runs did the watch not record a heart rate?", one(num(sum(r["hr"] is None for r in rows))))
    q(F, "fastest-pace", "On which date did I run the fastest pace (time per km)?", one(min(rows, key=lambda r: Fraction(r["s"], r["m"]))["d"].isoformat()))


# ------------------------------------------------------------------ 11 school library loans
def loans():
    F = "library_loans.csv"
    R = random.Random(1111)
    books = [("The Lion, the Witch and the Wardrobe", "C. S. Lewis"), ("Matilda", "Roald Dahl"), ("The BFG", "Roald Dahl"), ("Holes", "Louis Sachar"), ("Wonder", "R. J. Palacio"),
             ("Good Omens, or: a very long title", "T. Pratchett"), ("Percy Jackson: The Lightning Thief", "Rick Riordan"), ("Coraline", "Neil Gaiman"), ("Are You There God? It's Me, Margaret", "Judy Blume"),
             ("Momo", "Michael Ende"), ("The Hobbit", "J. R. R. Tolkien"), ("Skellig", "David Almond")]
    kids = [("Ava Moss", "6A"), ("Billy Crane", "6A"), ("Cora Finch", "6B"), ("Dev Anand", "7A"), ("Ella Stone", "7A"), ("Finn Marsh", "7B"), ("Gina Rossi", "6B"), ("Hugo Lang", "7B"), ("Ivy Chen", "6A"),
            ("Jack Pope", "8A"), ("Kira Sato", "8A"), ("Leo Quist", "7A"), ("Mina Farr", "8A")]
    while True:
        rows = []
        for i in range(130):
            (t, a), (k, c) = R.choices(books, [9, 14, 8, 10, 12, 4, 11, 6, 5, 4, 8, 3])[0], R.choices(kids, [9, 5, 6, 10, 7, 4, 3, 6, 8, 5, 4, 3, 2])[0]
            b = date(2025, 1, 7) + timedelta(days=R.randrange(80))
            due = b + timedelta(days=21)
            back = b + timedelta(days=R.choices([R.randrange(2, 20), 21, R.randrange(22, 40)], [70, 6, 22])[0])
            rows.append(dict(b=b, due=due, back=back if back <= date(2025, 3, 31) and R.random() > .03 else None, t=t, a=a, k=k, c=c))
        rows.sort(key=lambda r: r["b"])
        cur = [r for r in rows if r["back"] is None and r["k"] == "Dev Anand"]
        tc = Counter(r["t"] for r in rows).most_common(2)
        cc = Counter(r["c"] for r in rows).most_common(2)
        late = Counter(r["k"] for r in rows if r["back"] and r["back"] > r["due"]).most_common(2)
        if 2 <= len({r["t"] for r in cur}) == len(cur) <= 4 and tc[0][1] > tc[1][1] and cc[0][1] > cc[1][1] and late[0][1] > late[1][1]:
            break
    fm = lambda d: "%d-%s" % (d.day, d.strftime("%b-%Y"))
    out = [["Loan no", "Pupil", "Class", "Title", "Author", "Borrowed", "Due", "Returned"]]
    for i, r in enumerate(rows):
        out.append([501 + i, r["k"], r["c"], r["t"], r["a"], fm(r["b"]), fm(r["due"]), fm(r["back"]) if r["back"] else ""])
    write(F, csvtext(out))
    q(F, "still-out", "How many books haven't been returned yet?", one(num(sum(r["back"] is None for r in rows))))
    q(F, "returned-late", "How many loans came back after the due date?", one(num(sum(bool(r["back"] and r["back"] > r["due"]) for r in rows))))
    q(F, "most-borrowed", "What's the most popular book (most loans)?", one(tc[0][0]))
    q(F, "keenest-class", "Which class borrows the most?", one(cc[0][0]))
    q(F, "dev-has", "what does Dev Anand still have at home?", lst([r["t"] for r in cur]))
    q(F, "dahl", "loans of books by Roald Dahl - how many", one(num(sum(r["a"] == "Roald Dahl" for r in rows))))
    q(F, "days-kept", "On average, how many days were the returned books kept?", one(num(avg((r["back"] - r["b"]).days for r in rows if r["back"]))))
    q(F, "latest-pupil", "Wer hat am häufigsten zu spät zurückgegeben?", one(late[0][0]))


# ------------------------------------------------------------------ 12 flat hunting
def flats():
    F = "flats.csv"
    R = random.Random(1112)
    streets = ["Ahornweg", "Bergstr.", "Clara-Zetkin-Str.", "Dammtor", "Elbufer", "Forsthaus", "Gartenstr.", "Hafengasse", "Industriestr.", "Jahnplatz", "Kirchgasse", "Lindenallee"]
    base = {"Neustadt": 1250, "Altstadt": 1490, "Südvorstadt": 1120, "Pieschen": 960}
    while True:
        rows = []
        for a in R.sample([(s, n) for s in streets for n in range(1, 60)], 72):
            dist = R.choice(list(base))
            rooms = R.choices([1, 2, 3, 4], [24, 30, 14, 4])[0]
            size = int(22 * rooms + R.randrange(6, 20))
            rent = int(size * base[dist] / 100 * R.uniform(.85, 1.2)) // 5 * 5
            rows.append(dict(a="%s %d" % a, dist=dist, rooms=rooms, size=size, rent=rent if R.random() > .05 else None, pets=R.choice(["yes", "no", "no", ""]), lift=R.choice(["yes", "no"])))
        r2 = sorted(r["rent"] for r in rows if r["rooms"] == 2 and r["rent"])
        pp = sorted(Fraction(r["rent"], r["size"]) for r in rows if r["rent"])
        pl = [r for r in rows if r["pets"] == "yes" and r["lift"] == "yes" and r["dist"] == "Neustadt"]
        if r2[0] < r2[1] and pp[1] - pp[0] > Fraction(1, 20) and 1 < len(pl) < 6 and 1 < sum(r["rent"] is None for r in rows) < 7 and 800 not in [r["rent"] for r in rows]:
            break
    def rent(v):
        return "on request" if v is None else R.choice(["€%s", "€%s", "%s €", "%s EUR"]) % f"{v:,}"
    out = [["Address", "District", "Rooms", "Living space", "Rent (warm)", "Pets ok", "Lift"]]
    out += [[r["a"], r["dist"], r["rooms"], R.choice(["%d m²", "%d m²", "%d sqm"]) % r["size"], rent(r["rent"]), r["pets"], r["lift"]] for r in rows]
    write(F, csvtext(out))
    pr = [r for r in rows if r["rent"]]
    q(F, "cheapest-2", "What's the cheapest two room flat?", one(min((r for r in pr if r["rooms"] == 2), key=lambda r: r["rent"])["a"]))
    q(F, "neustadt-800", "how many flats in Neustadt for less than 800 a month", one(num(sum(r["dist"] == "Neustadt" and r["rent"] < 800 for r in pr))))
    q(F, "rent-per-district", "average rent by district?", [[x, num(avg(r["rent"] for r in pr if r["dist"] == x))] for x in sorted(base)])
    q(F, "cheapest-per-sqm", "Which place has the lowest rent per square metre?", one(min(pr, key=lambda r: Fraction(r["rent"], r["size"]))["a"]))
    q(F, "pets-lift-neustadt", "Flats in Neustadt where pets are allowed and there is a lift - just the addresses.", lst([r["a"] for r in pl]))
    q(F, "pets-unknown", "For how many ads is it unclear whether pets are allowed?", one(num(sum(r["pets"] == "" for r in rows))))
    q(F, "auf-anfrage", "Bei wie vielen Wohnungen gibt es die Miete nur auf Anfrage?", one(num(sum(r["rent"] is None for r in rows))))
    q(F, "near-uni", "Which flat is closest to the university?", None)


# ------------------------------------------------------------------ 13 support tickets
def tickets():
    F = "tickets_export.csv"
    R = random.Random(1113)
    subj = ["Password reset mail never arrives", "cannot log in, password wrong", "Invoice shows wrong VAT", "App crashes on start", "Please cancel my plan", "Refund for double charge", "Slow dashboard", "Export to Excel broken",
            "Change billing address", "New PASSWORD rules question", "Printer, scanner and badge"]
    tags = {0: "login", 1: "login", 2: "billing", 3: "bug", 4: "billing,cancel", 5: "billing,refund", 6: "performance", 7: "bug,export", 8: "billing", 9: "login,question", 10: ""}
    while True:
        rows, t = [], datetime(2025, 1, 6, 8, 10)
        for i in range(165):
            t += timedelta(minutes=R.randrange(20, 1300))
            s = R.randrange(len(subj))
            pr = R.choices(["urgent", "high", "normal", "low"], [10, 24, 50, 16])[0]
            mins = int({"urgent": 300, "high": 1100, "normal": 2900, "low": 6000}[pr] * R.lognormvariate(0, .7))
            rows.append(dict(id="T-%d" % (3300 + i), o=t, c=t + timedelta(minutes=mins) if R.random() > .14 else None, pr=pr, ag=R.choice(["Nadia", "Oliver", "Oliver", "Pia", "Pia", "Pia", ""]) if R.random() < .9 else "Nadia",
                             cu=R.choice(["Acme Ltd", "Birch & Co, LLC", "Corvus", "Dynatek", "Eastbay"]), s=subj[s], tags=tags[s]))
        oh = [r for r in rows if r["c"] is None and r["pr"] == "high"]
        lg = sorted((r["c"] - r["o"] for r in rows if r["c"]), reverse=True)
        if 2 <= len(oh) <= 8 and lg[0] > lg[1] and len(Counter(r["cu"] for r in rows)) == 5:
            cs = Counter(r["cu"] for r in rows).most_common(2)
            if cs[0][1] > cs[1][1]:
                break
    def ts(d):
        return "" if d is None else d.strftime("%d.%m.%Y %H:%M") if R.random() < .2 else d.strftime("%Y-%m-%d %H:%M")
    out = [["Ticket", "Opened", "Closed", "Priority", "Agent", "Customer", "Tags", "Subject"]]
    out += [[r["id"], ts(r["o"]), ts(r["c"]), r["pr"].capitalize() if R.random() < .15 else r["pr"], r["ag"], r["cu"], r["tags"], r["s"]] for r in rows]
    write(F, csvtext(out))
    q(F, "open-high", "Which high priority tickets are still open?", lst([r["id"] for r in oh]))
    q(F, "unassigned", "how many tickets don't have an agent", one(num(sum(not r["ag"] for r in rows))))
    q(F, "refund-tag", "How many tickets are tagged refund?", one(num(sum("refund" in r["tags"].split(",") for r in rows))))
    q(F, "february", "How many tickets were opened in February?", one(num(sum(r["o"].month == 2 for r in rows))))
    u = [r["c"] - r["o"] for r in rows if r["c"] and r["pr"] == "urgent"]
    q(F, "urgent-hours", "On average, how many hours does it take us to close an urgent ticket?", one(num(Fraction(int(sum(u, timedelta()).total_seconds()), 3600 * len(u)))))
    q(F, "longest-open", "Of the closed tickets, which one took the longest?", one(max((r for r in rows if r["c"]), key=lambda r: r["c"] - r["o"])["id"]))
    q(F, "password-subject", "How many subjects mention a password?", one(num(sum("password" in r["s"].lower() for r in rows))))
    q(F, "top-customer", "which customer writes to us the most", one(cs[0][0]))


# ------------------------------------------------------------------ 14 commute survey
def survey():
    F = "commute_survey.csv"
    R = random.Random(1114)
    com = ["", "", "", "never enough parking", "train is always late", "Parking costs too much, honestly", "love the new bike lane", "bus 11 is packed", "no complaints", "would cycle if it was safer"]
    while True:
        rows = []
        for i in range(190):
            mode = R.choices(["bike", "train", "car", "bus", "on foot"], [28, 24, 18, 22, 10])[0]
            mn = {"bike": R.randrange(8, 41), "train": R.randrange(25, 111), "car": R.randrange(12, 76), "bus": R.randrange(15, 81), "on foot": R.randrange(4, 31)}[mode]
            if R.random() < .5:
                mn = max(5, mn // 5 * 5)
            rows.append(dict(i=i + 1, fac=R.choice(["Law", "Medicine", "Engineering", "Arts"]), age=None if R.random() < .04 else int(min(58, 18 + R.expovariate(1 / 5))), mode=mode, mn=mn if R.random() > .03 else None,
                             days=R.randrange(1, 6), sat=None if R.random() < .07 else R.choices([1, 2, 3, 4, 5], [8, 16, 26, 30, 20])[0], c=R.choice(com)))
        a = sorted((r["age"] for r in rows if r["age"]), reverse=True)
        if a[0] > a[1]:
            break
    def dur(m):
        if m is None:
            return "n/a"
        if m < 60:
            return R.choice(["%d min", "%d min", "%d minutes"]) % m
        if m == 60:
            return "1 h"
        return "%dh %02dmin" % divmod(m, 60) if R.random() < .6 else "%d min" % m
    out = [["No.", "Faculty", "Age", "How do you get here", "One-way time", "Days per week", "Satisfaction (1-5)", "Comment"]]
    out += [[r["i"], r["fac"], r["age"] or "", r["mode"], dur(r["mn"]), r["days"], r["sat"] or "", r["c"]] for r in rows]
    write(F, csvtext(out))
    q(F, "bike", "how many people come by bike?", one(num(sum(r["mode"] == "bike" for r in rows))))
    q(F, "train-minutes", "How long is the average one-way trip for those who take the train, in minutes?", one(num(avg(r["mn"] for r in rows if r["mode"] == "train" and r["mn"]))))
    q(F, "satisfaction-faculty", "average satisfaction for each faculty", [[f, num(avg(r["sat"] for r in rows if r["fac"] == f and r["sat"]))] for f in ("Arts", "Engineering", "Law", "Medicine")])
    q(F, "over-hour", "How many need more than an hour to get here?", one(num(sum(bool(r["mn"] and r["mn"] > 60) for r in rows))))
    q(F, "parking", "how many comments mention parking", one(num(sum("parking" in r["c"].lower() for r in rows))))
    g = [r["sat"] for r in rows if r["sat"]]
    q(F, "happy-share", "Of those who gave a satisfaction rating, what percentage chose 4 or 5?", one(num(Fraction(100 * sum(s >= 4 for s in g), len(g)))))
    q(F, "haeufigstes-mittel", "Welches Verkehrsmittel wird in der Medizin am häufigsten genutzt?", one(top(Counter(r["mode"] for r in rows if r["fac"] == "Medicine").items())[0][0]))
    q(F, "oldest-age", "How old is the oldest participant?", one(num(a[0])))


def everything():
    for make in (kassenbuch, access, grades, worker, orders, expenses, vitals, auth, lager, runs, loans, flats, tickets, survey):
        make()

"""The other files of the twelfth batch and their questions."""
import random
from collections import Counter
from datetime import date, datetime, timedelta
from fractions import Fraction as F

from batch_twelve_first import ask, best, bikes, brewery, choir, farm, lst, mean, median, num, top, uniq, vet, ward, write, write_csv


# ---------------------------------------------------------------- 7 ham log
def ham():
    R = random.Random(1207)
    ctry = {"Germany": "DL", "Italy": "IK", "Spain": "EA", "Poland": "SP", "England": "G", "United States": "K", "Japan": "JA", "Brazil": "PY", "New Zealand": "ZL", "Sweden": "SM", "Finland": "OH", "Canada": "VE", "South Africa": "ZS", "Ukraine": "UR"}
    cw = [30, 28, 22, 20, 18, 40, 18, 8, 4, 12, 12, 9, 5, 11]
    pool = []
    for c, w in zip(ctry, cw):
        for _ in range(max(3, w // 3)):
            s = f"{ctry[c]}{R.randint(0, 9)}{''.join(R.choice('ABCDEFGHKLMNPRSTUVWXYZ') for _ in range(R.choice([2, 3, 3])))}"
            pool.append((s, c, w / max(3, w // 3)))
    bands = {"80m": (3573, 3520, 3720), "40m": (7074, 7015, 7130), "20m": (14074, 14025, 14230), "15m": (21074, 21030, 21290), "10m": (28074, 28020, 28480)}
    rows = []
    days = sorted(R.sample(range(0, 88), 37))
    for _ in range(290):
        d = date(2024, 1, 1) + timedelta(days=R.choice(days))
        h, m = R.choice([0, 6, 7, 9, 12, 15, 16, 17, 18, 18, 19, 19, 20, 21, 22]), R.randint(1, 59)
        s, c, _w = R.choices(pool, [p[2] for p in pool])[0]
        b = R.choices(list(bands), [3, 5, 7, 3, 2])[0]
        mi = R.choices([0, 1, 2], [5, 3, 3])[0]
        rows.append(dict(d=d, t=h * 100 + m, s=s, c=c, b=b, f=bands[b][mi] + (0 if mi == 0 else R.randint(0, 12)), mode=["FT8", "CW", "SSB"][mi], q="Y" if R.random() < .4 else "N"))
    for dd in (3, 11, 19, 27, 30, 41, 52):
        rows.append(dict(d=date(2024, 1, 1) + timedelta(days=days[dd % len(days)]), t=1900 + dd, s="IK4ZGO", c="Italy", b="40m", f=7018, mode="CW", q="Y"))
    rows.sort(key=lambda r: (r["d"], r["t"]))
    write_csv("hamlog.csv", ["QSO_DATE", "TIME_ON", "CALL", "BAND", "FREQ", "MODE", "RST_SENT", "RST_RCVD", "COUNTRY", "QSL_RCVD", "COMMENT"],
              [[r["d"].strftime("%Y%m%d"), f"{r['t']:04d}", r["s"], r["b"], f"{r['f'] / 1000:.3f}", r["mode"], *(([f"{R.randint(-18, 8):+03d}" for _ in range(2)]) if r["mode"] == "FT8" else ["599", R.choice(["599", "579", "559"])] if r["mode"] == "CW" else ["59", R.choice(["59", "57", "55"])]),
                r["c"], r["q"], R.choice(["", "", "", "", "", "tnx fer qso", "QSB, QRM", "nice op, dipole at 10m up", "via bureau"])] for r in rows])
    assert not any(r["t"] in (1800, 2000) for r in rows)
    cc = Counter(r["s"] for r in rows)
    ask("hamlog.csv", [
        ("ham-20m", "Wie viele Verbindungen hatte ich auf 20m?", [[num(sum(r["b"] == "20m" for r in rows))]]),
        ("ham-betriebsart", "Anzahl QSOs je Betriebsart", [[k, num(v)] for k, v in Counter(r["mode"] for r in rows).items()]),
        ("ham-countries", "How many different countries have I worked?", [[num(len({r["c"] for r in rows}))]]),
        ("ham-most-worked", "Which station did I work most often?", [[top(cc)[0][0]]]),
        ("ham-cw-evening", "CW contacts between 1800 and 2000 UTC - how many?", [[num(sum(r["mode"] == "CW" and 1800 <= r["t"] <= 2000 for r in rows))]]),
        ("ham-japan-qsl", "Which Japanese stations have sent me a QSL? (calls, each only once)", lst(uniq(r["s"] for r in rows if r["c"] == "Japan" and r["q"] == "Y"))),
        ("ham-days", "On how many different days was I on the air?", [[num(len({r["d"] for r in rows}))]]),
        ("ham-sendeleistung", "Mit welcher Sendeleistung habe ich im Schnitt gefunkt?", None),
    ])


# ---------------------------------------------------------------- 8 library
def library():
    R = random.Random(1208)
    books = [("The Left Hand of Darkness", "Ursula K. Le Guin", "Fiction", 4), ("A Wizard of Earthsea", "Ursula K. Le Guin", "Children", 5), ("The Dispossessed", "Ursula K. Le Guin", "Fiction", 3), ("Eats, Shoots & Leaves", "Lynne Truss", "Non-fiction", 3),
             ("Goodnight Mister Tom", "Michelle Magorian", "Children", 6), ("The Lion, the Witch and the Wardrobe", "C. S. Lewis", "Children", 6), ("Matilda", "Roald Dahl", "Children", 11), ("Wolf Hall", "Hilary Mantel", "Fiction", 6), ("Rebecca", "Daphne du Maurier", "Fiction", 7),
             ("Tinker, Tailor, Soldier, Spy", "John le Carré", "Crime", 4), ("The Nine Tailors", "Dorothy L. Sayers", "Crime", 4), ("Gaudy Night", "Dorothy L. Sayers", "Crime", 3), ("Salt, Fat, Acid, Heat", "Samin Nosrat", "Non-fiction", 6), ("The Salt Path", "Raynor Winn", "Non-fiction", 7),
             ("Middlemarch", "George Eliot", "Fiction", 2), ("Watership Down", "Richard Adams", "Children", 3)]
    people = [("L-1042", "Mrs E. Prowse"), ("L-1077", "Tariq Aziz-Hill"), ("L-1103", "Fern Olusoga"), ("L-1110", "Mr B. Jago"), ("L-1164", "Wren Castell"), ("L-1189", "Dilys Morgan"), ("L-1201", "Kofi Mensah"), ("L-1222", "Hetty Lane"), ("L-1250", "R. Bhatt"), ("L-1263", "Sunniva Dahl"), ("L-1301", "Jack Treloar")]
    rows = []
    for i in range(188):
        b = R.choices(books, [x[3] for x in books])[0]
        p = R.choice(people)
        if b[2] == "Children" and R.random() < .12:
            p = people[4]
        d = date(2024, 2, 5) + timedelta(days=int(i * .62))
        due = d + timedelta(days=21)
        k = R.choice([4, 7, 9, 12, 14, 16, 18, 19, 20, 21, 21, 23, 25, 28, 33])
        ret = d + timedelta(days=k)
        if ret > date(2024, 6, 8) or R.random() < .03:
            ret = None
        fine = 20 * (ret - due).days if ret and ret > due else None
        rows.append(dict(i=5001 + i, p=p, b=b, d=d, due=due, ret=ret, fine=fine))
    rows[60]["ret"] = rows[60]["d"] + timedelta(days=47)
    rows[60]["fine"] = 20 * 26
    f = lambda d: d.strftime("%d/%m/%Y") if d else ""
    write_csv("loans.csv", ["Loan", "Card", "Borrower", "Title", "Author", "Section", "Borrowed", "Due", "Returned", "Fine"],
              [[r["i"], *r["p"], r["b"][0], r["b"][1], r["b"][2], f(r["d"]), f(r["due"]), f(r["ret"]), "" if r["fine"] is None else f"{r['fine']}p" if r["fine"] < 100 else f"£{r['fine'] / 100:.2f}"] for r in rows])
    ch = Counter(r["p"][1] for r in rows if r["b"][2] == "Children")
    ask("loans.csv", [
        ("lib-out", "How many loans are still out?", [[num(sum(r["ret"] is None for r in rows))]]),
        ("lib-fines", "What do the fines add up to in pounds?", [[num(F(sum(r["fine"] or 0 for r in rows), 100))]]),
        ("lib-late", "How many books came back after their due date?", [[num(sum(bool(r["ret"] and r["ret"] > r["due"]) for r in rows))]]),
        ("lib-favourite", "Which book gets borrowed the most?", [[top(Counter(r["b"][0] for r in rows))[0][0]]]),
        ("lib-april", "loans in April?", [[num(sum(r["d"].month == 4 for r in rows))]]),
        ("lib-le-guin", "Which Le Guin books have been lent, titles only without repeats", lst(uniq(r["b"][0] for r in rows if "Le Guin" in r["b"][1]))),
        ("lib-longest", "Of the books that came back, what's the longest anyone kept one, in days?", [[num(best([r for r in rows if r["ret"]], lambda r: (r["ret"] - r["d"]).days) and max((r["ret"] - r["d"]).days for r in rows if r["ret"]))]]),
        ("lib-kids-reader", "Who has borrowed the most children's books?", [[top(ch)[0][0]]]),
    ])


# ---------------------------------------------------------------- 9 lab
def lab():
    R = random.Random(1209)
    sites = {"Mill Weir": (71, 18), "Quarry Outfall": (62, 61), "Town Bridge": (74, 33), "Upper Spring": (68, 4), "Estuary Jetty": (79, 22)}
    an = ["KT", "MV", "JR"]
    rows = []
    t = datetime(2024, 6, 3, 9, 5)
    for i in range(94):
        t += timedelta(hours=R.choice([2, 3, 4, 20]), minutes=R.randint(0, 59))
        while not 8 <= t.hour <= 16:
            t += timedelta(hours=3)
        s = R.choice(list(sites))
        ph, ni = sites[s]
        no3 = max(1, int(ni * 10 * R.uniform(.3, 1.4)))
        rows.append(dict(id=f"W{2400 + i}", s=s, t=t, ph=None if R.random() < .06 else ph * 10 + R.randint(-45, 45), no3=None if no3 < 20 else no3, pb=None if R.random() < .3 else R.randint(10, 140) + (90 if s == "Quarry Outfall" else 0),
                         tu=R.randint(2, 90), co=R.randint(190, 880) if s != "Estuary Jetty" else R.randint(1010, 3900), an=R.choice(an)))
    out = []
    for r in rows:
        co = f"{r['co'] / 1000:.2f} mS/cm" if r["co"] > 1000 else f"{r['co']} µS/cm"
        if r["co"] > 1000:
            r["co"] = round(r["co"] / 1000, 2) * 1000
        out.append([r["id"], r["s"], r["t"].strftime("%d-%b-%Y %H:%M"), R.choice(["", "n/a"]) if r["ph"] is None else f"{r['ph'] / 100:.2f}", "<2.0" if r["no3"] is None else f"{r['no3'] / 10:.1f}",
                    "<1.0" if r["pb"] is None else f"{r['pb'] / 10:.1f}", f"{r['tu'] / 10:.1f}", co, r["an"], R.choice(["", "", "", "", "bottle cracked, retest", "hold", "rain, heavy"])])
    write_csv("water_samples.csv", ["Sample", "Site", "Collected", "pH", "Nitrate mg/L", "Lead µg/L", "Turbidity NTU", "Conductivity", "Analyst", "Remark"], out)
    assert not any(r["no3"] == 500 for r in rows) and not any(r["ph"] == 650 for r in rows)
    mp = {s: mean(F(r["ph"], 100) for r in rows if r["s"] == s and r["ph"] is not None) for s in uniq(r["s"] for r in rows)}
    ask("water_samples.csv", [
        ("lab-nitrate-limit", "How many samples exceeded 50 mg/L nitrate?", [[num(sum(bool(r["no3"] and r["no3"] > 500) for r in rows))]]),
        ("lab-ph-site", "mean pH for each site", [[k, num(v)] for k, v in mp.items()]),
        ("lab-lead-nd", "In how many samples was lead below the detection limit?", [[num(sum(r["pb"] is None for r in rows))]]),
        ("lab-conductivity", "Which sample had the highest conductivity?", [[best(rows, lambda r: r["co"])["id"]]]),
        ("lab-no-ph", "Which samples have no pH value? I have to re-run those.", lst(r["id"] for r in rows if r["ph"] is None)),
        ("lab-sauer", "Wie viele Proben hatten einen pH-Wert unter 6,5?", [[num(sum(bool(r["ph"] and r["ph"] < 650) for r in rows))]]),
        ("lab-turbidity-mill", "Median turbidity at Mill Weir?", [[num(median(F(r["tu"], 10) for r in rows if r["s"] == "Mill Weir"))]]),
    ])


# ---------------------------------------------------------------- 10 auth.log
def auth():
    R = random.Random(1210)
    ips = ["203.0.113.9", "198.51.100.77", "203.0.113.140", "192.0.2.61", "198.51.100.12"]
    w = [9, 5, 3, 2, 2]
    good = ["tomasz", "wilhelmina", "deploy"]
    bad = ["admin", "oracle", "test", "ubuntu", "pi", "postgres"]
    ev = []
    for _ in range(310):
        s = R.randint(0, 8 * 3600 - 1)
        t = datetime(2024, 3, 14, 22, 0, 0) + timedelta(seconds=s)
        k = R.choices(["bad", "badroot", "ok", "close", "cron", "sudo", "kern"], [34, 12, 6, 12, 14, 6, 3])[0]
        pid = R.randint(1800, 39000)
        ip = R.choices(ips, w)[0]
        if k == "bad":
            e = dict(prog="sshd", kind="fail", inv=True, ip=ip, msg=f"Failed password for invalid user {R.choice(bad)} from {ip} port {R.randint(30000, 65000)} ssh2")
        elif k == "badroot":
            e = dict(prog="sshd", kind="fail", inv=False, ip=ip, msg=f"Failed password for {R.choice(['root', 'root', 'tomasz'])} from {ip} port {R.randint(30000, 65000)} ssh2")
        elif k == "ok":
            u = R.choice(good)
            e = dict(prog="sshd", kind="ok", u=u, msg=f"Accepted publickey for {u} from 10.20.0.{R.randint(4, 30)} port {R.randint(30000, 65000)} ssh2: ED25519 SHA256:{R.getrandbits(60):x}")
        elif k == "close":
            e = dict(prog="sshd", kind="close", msg=f"Connection closed by {ip} port {R.randint(30000, 65000)} [preauth]")
        elif k == "cron":
            e = dict(prog="CRON", kind="cron", msg=f"(root) CMD (/usr/local/bin/{R.choice(['rotate', 'probe', 'certcheck'])})")
        elif k == "sudo":
            u = R.choice(["tomasz", "wilhelmina"])
            c = R.choice(["/usr/bin/systemctl restart nginx", "/usr/sbin/smartctl -a /dev/sdb", "/usr/bin/journalctl -xe", "/usr/bin/apt update"])
            e = dict(prog="sudo", kind="sudo", u=u, c=c, msg=f"  {u} : TTY=pts/{R.randint(0, 3)} ; PWD=/home/{u} ; USER=root ; COMMAND={c}")
        else:
            dev = R.choice(["sdb", "sdb", "eth0"])
            e = dict(prog="kernel", kind="kern", dev=dev, msg=f"[{R.randint(90000, 99999)}.{R.randint(100000, 999999)}] " + (f"blk_update_request: I/O error, dev sdb, sector {R.randint(10**6, 10**8)}" if dev == "sdb" else "e1000e eth0: NIC Link is Up 1000 Mbps"))
        e.update(t=t, pid=pid)
        ev.append(e)
    ev.sort(key=lambda e: e["t"])
    write("auth.log", "".join(f"{e['t'].strftime('%b %d %H:%M:%S')} gate {e['prog']}{'' if e['prog'] in ('kernel', 'sudo') else '[%d]' % e['pid']}: {e['msg']}\n" for e in ev))
    fail = [e for e in ev if e["kind"] == "fail"]
    assert not any(e["t"].strftime("%H:%M:%S") in ("02:00:00", "03:00:00") for e in ev)
    ask("auth.log", [
        ("auth-failed", "how many failed passwords last night", [[num(len(fail))]]),
        ("auth-worst-ip", "Which IP had the most failed password attempts, and how many?", [[k, num(v)] for k, v in top(Counter(e["ip"] for e in fail))]),
        ("auth-who-got-in", "Which users actually logged in over ssh?", lst(uniq(e["u"] for e in ev if e["kind"] == "ok"))),
        ("auth-invalid", "How many of the failed passwords were for invalid users?", [[num(sum(e["inv"] for e in fail))]]),
        ("auth-2-to-3", "Number of log lines between 02:00 and 03:00", [[num(sum(e["t"].hour == 2 for e in ev))]]),
        ("auth-io-errors", "How many I/O errors did the kernel log for sdb?", [[num(sum(e.get("dev") == "sdb" for e in ev))]]),
        ("auth-per-program", "lines per program (sshd, CRON and so on)", [[k, num(v)] for k, v in Counter(e["prog"] for e in ev).items()]),
    ])


# ---------------------------------------------------------------- 11 jobs.log
def jobs():
    R = random.Random(1211)
    kinds = {"backup-db": (42000, .12, 900), "offsite-sync": (95000, .3, 2400), "log-rotate": (420, .03, 3), "cert-renew": (3100, .15, 0), "thumbnailer": (11500, .1, 120)}
    errs = ["connection reset by peer", "disk quota exceeded", "timeout waiting for lock", "no space left on device"]
    rows = []
    t = datetime(2024, 3, 14, 20, 0, 4)
    for i in range(164):
        t += timedelta(seconds=R.randint(40, 420))
        j = R.choice(list(kinds))
        ms, pf, mb = kinds[j]
        ms = max(35, int(ms * R.uniform(.35, 2.2)))
        ms = ms if ms < 1000 else ms // 100 * 100
        ms += 300 if ms == 60000 else 0
        bad = R.random() < pf
        sz = None if mb == 0 or bad else max(1, int(mb * R.uniform(.2, 1.9)))
        rows.append(dict(t=t, j=j, h=R.choice(["db1", "db2", "web1", "files"]), ms=ms, bad=bad, sz=sz, msg=R.choice(errs) if bad else "done"))
    out = []
    for r in rows:
        ms = r["ms"]
        d = f"{ms}ms" if ms < 1000 else f"{ms / 1000:g}s" if ms < 100000 and (ms < 60000 or R.random() < .4) else f"{ms // 60000}m{ms % 60000 / 1000:g}s"
        z = "" if r["sz"] is None else (f" size={r['sz'] / 1000:.1f}GB" if r["sz"] >= 1000 else f" size={r['sz']}MB")
        r["d"] = d
        out.append(f"ts={r['t'].strftime('%Y-%m-%dT%H:%M:%SZ')} level={'error' if r['bad'] else 'info'} job={r['j']} host={r['h']} status={'failed' if r['bad'] else 'ok'} dur={d}{z} msg=\"{r['msg']}\"")
    write("nightjobs.log", "\n".join(out) + "\n")
    assert not any(r["ms"] == 60000 for r in rows)
    L = best(rows, lambda r: r["ms"])
    fh = Counter(r["h"] for r in rows if r["bad"])
    assert len(fh) == 4
    off = [r for r in rows if r["j"] == "offsite-sync"]
    ask("nightjobs.log", [
        ("jobs-longest", "Which job ran the longest in a single run, and on which host?", [[L["j"], L["h"]]]),
        ("jobs-failed", "how many runs failed", [[num(sum(r["bad"] for r in rows))]]),
        ("jobs-backup-mean", "average duration of backup-db in seconds?", [[num(mean(F(r["ms"], 1000) for r in rows if r["j"] == "backup-db"))]]),
        ("jobs-over-minute", "How many runs took longer than a minute?", [[num(sum(r["ms"] > 60000 for r in rows))]]),
        ("jobs-fail-host", "Failures per host, worst first", [[k, num(v)] for k, v in top(fh, 4)]),
        ("jobs-offsite-rate", "What percentage of the offsite-sync runs failed?", [[num(F(100 * sum(r["bad"] for r in off), len(off)))]]),
        ("jobs-error-texts", "What different error messages did the failed runs give?", lst(uniq(r["msg"] for r in rows if r["bad"]))),
        ("jobs-after-midnight", "How many failures were there after midnight?", [[num(sum(r["bad"] and r["t"].day == 15 for r in rows))]]),
    ])


# ---------------------------------------------------------------- 12 landlord
def rent():
    R = random.Random(1212)
    ten = [("Lindenstr. 4", "EG links", "Yilmaz", 68000), ("Lindenstr. 4", "EG rechts", "Dr. Köhler", 92500), ("Lindenstr. 4", "1. OG", "Nowak", 74000), ("Lindenstr. 4", "DG", "Özdemir", 55500), ("Am Markt 12", "Laden", "Bäckerei Stüber", 148000),
           ("Am Markt 12", "1. OG links", "Petersen", 81000), ("Am Markt 12", "1. OG rechts", "Groß", 79500), ("Am Markt 12", "2. OG", "Vogel/Brandt", 104000), ("Hafenweg 7a", "WE 1", "Santos", 61000), ("Hafenweg 7a", "WE 2", "Hinrichs", 63500), ("Hafenweg 7a", "WE 3", "Lehmann", 60500), ("Hafenweg 7a", "WE 4", "Kühn", 116500)]
    mon = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli"]
    rows = []
    for mi, m in enumerate(mon, 1):
        for ob, wo, ti, ka in ten:
            nk = ka // 500 * 100 // 2 + 8000
            due = date(2024, mi, 3)
            pay = due + timedelta(days=R.choice([-3, -2, -2, -1, -1, 0, 0, 0, 2, 5, 9]))
            paid = ka + nk
            b = R.choice(["", "", "", "", "", "Dauerauftrag", "Schlüssel nachgemacht", "Heizung entlüftet"])
            if R.random() < .05:
                pay, paid, b = None, None, R.choice(["offen", "", "gemahnt"])
            elif R.random() < .05:
                paid = ka
                b = "Mietminderung wegen Schimmel im Bad" if R.random() < .5 else "Rest folgt"
            rows.append(dict(ob=ob, wo=wo, ti=ti, m=m, due=due, pay=pay, ka=ka, nk=nk, paid=paid, b=b))
    for m, t in (("Mai", "Santos"), ("Mai", "Nowak")):
        r = next(r for r in rows if r["m"] == m and r["ti"] == t)
        r.update(pay=None, paid=None, b="gemahnt")
    r = next(r for r in rows if r["m"] == "April" and r["ti"] == "Petersen")
    r.update(b="Schimmel gemeldet, Handwerker bestellt")
    r = next(r for r in rows if r["m"] == "Juni" and r["ti"] == "Groß")
    r.update(b="Küche: Schimmel hinter Schrank")

    def eu(c):
        return "" if c is None else f"{c // 100:,}".replace(",", ".") + f",{c % 100:02d} €"
    f = lambda d: d.strftime("%d.%m.%Y") if d else ""
    write_csv("mieteingang.csv", ["Objekt", "Wohnung", "Mieter", "Monat", "Fällig am", "Bezahlt am", "Kaltmiete", "Nebenkosten", "Gezahlt", "Bemerkung"],
              [[r["ob"], r["wo"], r["ti"], r["m"] + " 2024", f(r["due"]), f(r["pay"]), eu(r["ka"]), eu(r["nk"]), eu(r["paid"]), r["b"]] for r in rows], ";", "\r\n")
    mx = top({t[2]: t[3] for t in ten})[0][0]
    ask("mieteingang.csv", [
        ("miete-maerz", "Wie viel wurde für den Monat März insgesamt gezahlt?", [[num(F(sum(r["paid"] or 0 for r in rows if r["m"] == "März"), 100))]]),
        ("miete-mai-nichts", "Von welchen Mietern ist für Mai gar nichts eingegangen?", lst(r["ti"] for r in rows if r["m"] == "Mai" and r["paid"] is None)),
        ("miete-verspaetet", "Wie viele Zahlungen kamen erst nach dem Fälligkeitstag?", [[num(sum(bool(r["pay"] and r["pay"] > r["due"]) for r in rows))]]),
        ("miete-hoechste", "Wer zahlt die höchste Kaltmiete?", [[mx]]),
        ("miete-nk-objekt", "Summe der Nebenkosten pro Objekt", [[o, num(F(sum(r["nk"] for r in rows if r["ob"] == o), 100))] for o in uniq(r["ob"] for r in rows)]),
        ("miete-schimmel", "Bei welchen Mietern steht was von Schimmel in der Bemerkung?", lst(uniq(r["ti"] for r in rows if "Schimmel" in r["b"]))),
        ("miete-offen", "Wie oft wurde gar nichts bezahlt?", [[num(sum(r["paid"] is None for r in rows))]]),
        ("miete-quadratmeter", "Wie viele Quadratmeter hat die Wohnung von Yilmaz?", None),
    ])


# ---------------------------------------------------------------- 13 football
def league():
    R = random.Random(1413)
    T = ["Tarn Athletic", "Kirkby Rovers", "Sedbergh Town", "Ulverston Rail", "Hawkshead FC", "Millom Dock", "Eden Vale", "Shap United", "Bowness Wanderers", "Penrith Quarry"]
    st = {t: R.uniform(.6, 2.1) for t in T}
    refs = ["P. Haigh", "S. Ahmed", "L. Cartmel", "D. Noble"]
    a = T[:]
    rounds = []
    for k in range(9):
        ps = [(a[i], a[9 - i]) for i in range(5)]
        rounds.append([(y, x) if k % 2 else (x, y) for x, y in ps])
        a = [a[0], a[-1]] + a[1:-1]
    rounds += [[(y, x) for x, y in r] for r in rounds]
    rows = []
    d = date(2023, 9, 2)

    def g(l):
        return sum(R.random() < l / 9 for _ in range(9))
    for n, r in enumerate(rounds, 1):
        for h, w in r:
            pp = R.random() < .06
            rows.append(dict(d=d, n=n, h=h, a=w, hg=None if pp else g(st[h] * 1.2), ag=None if pp else g(st[w]), ref=R.choice(refs), y=None if pp else R.choice([0, 1, 1, 2, 2, 3, 4, 5, 7]), att=None if pp else R.randint(60, 700) + (R.randint(300, 900) if h in ("Kirkby Rovers", "Tarn Athletic") else 0)))
        d += timedelta(days=7 if n % 6 else 21)
    write_csv("fixtures.csv", ["Date", "Round", "Home", "Away", "HG", "AG", "Yellow cards", "Attendance", "Referee", "Note"],
              [[r["d"].strftime("%d-%b-%y"), r["n"], r["h"], r["a"], "" if r["hg"] is None else r["hg"], "" if r["ag"] is None else r["ag"], "" if r["y"] is None else r["y"], "" if r["att"] is None else f"{r['att']:,}", r["ref"], "postponed" if r["hg"] is None else ""] for r in rows])
    P = [r for r in rows if r["hg"] is not None]
    hg, yc, allg = Counter(), Counter(), Counter()
    for r in P:
        hg[r["h"]] += r["hg"]
        yc[r["ref"]] += r["y"]
        allg[r["h"]] += r["hg"]
        allg[r["a"]] += r["ag"]
    big = best(P, lambda r: r["att"])
    ask("fixtures.csv", [
        ("foot-draws", "How many games ended in a draw?", [[num(sum(r["hg"] == r["ag"] for r in P))]]),
        ("foot-home-goals", "which team scored most goals at home", [[top(hg)[0][0]]]),
        ("foot-crowd", "Which match had the biggest crowd? Home and away team please.", [[big["h"], big["a"]]]),
        ("foot-avg-crowd", "Average attendance at each club's home games", [[t, num(mean(r["att"] for r in P if r["h"] == t))] for t in uniq(r["h"] for r in rows)]),
        ("foot-postponed", "How many matches were postponed?", [[num(len(rows) - len(P))]]),
        ("foot-goalfests", "How many matches had five or more goals in total?", [[num(sum(r["hg"] + r["ag"] >= 5 for r in P))]]),
        ("foot-cards", "Which referee has shown the most yellow cards in total?", [[top(yc)[0][0]]]),
        ("foot-away-tarn", "How many goals did Tarn Athletic score away from home?", [[num(sum(r["ag"] for r in P if r["a"] == "Tarn Athletic"))]]),
        ("foot-top-scorer", "Who is the league's top goalscorer? I mean the player.", None),
    ])


def everything():
    for make in (choir, farm, vet, ward, brewery, bikes, ham, library, lab, auth, jobs, rent, league):
        make()

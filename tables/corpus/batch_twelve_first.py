"""The first files of the twelfth batch and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv
import io
import json
import random
import statistics
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction as F

from common import Author

AUTHOR = Author("twelve", 12)
write, ask = AUTHOR.write, AUTHOR.ask


def num(x):
    """Plain number, at most two decimals, no trailing zeros; refuses exact rounding ties."""
    x = F(x)
    y = x * 100
    fl = y.numerator // y.denominator
    rest = y - fl
    assert rest != F(1, 2), ("rounding tie", x)
    n = fl + (1 if rest > F(1, 2) else 0)
    s = "-" if n < 0 else ""
    n = abs(n)
    t = f"{n // 100}.{n % 100:02d}".rstrip("0").rstrip(".")
    return s + t


def mean(xs):
    xs = [F(x) for x in xs]
    return sum(xs) / len(xs)


def median(xs):
    return statistics.median([F(x) for x in xs])


def top(d, n=1, low=False):
    """The n keys with the largest values; a tie at or inside the edge is an error."""
    it = sorted(d.items(), key=lambda kv: kv[1], reverse=not low)
    for a, b in zip(it[:n], it[1:n + 1]):
        assert a[1] != b[1], ("tie", it[:n + 2])
    return it[:n]


def best(rows, key, low=False):
    s = sorted(rows, key=key, reverse=not low)
    assert key(s[0]) != key(s[1]), ("tie", s[0], s[1])
    return s[0]


def uniq(xs):
    return list(dict.fromkeys(xs))


def lst(xs):
    xs = list(xs)
    assert xs and len(set(xs)) == len(xs), xs
    return [[x] for x in xs]


def write_csv(name, header, rows, delim=",", eol="\n"):
    b = io.StringIO()
    w = csv.writer(b, delimiter=delim, lineterminator=eol)
    w.writerow(header)
    w.writerows(rows)
    write(name, b.getvalue())


# ---------------------------------------------------------------- 1 choir
def choir():
    R = random.Random(1201)
    names = """Hilary Marsh;Owen Pritchard;Beatrix Lund;Graham Tuck;Priya Nair;Moira Kessock;Dafydd Rees;Lotte Vries;Simon Achebe;Ruth Penhale
Colin Bray;Agnes Torrance;Tom Whitlock;Fiona Carew;Nkechi Obi;Peter Stannard;Jill Rosewarne;Marcus Feld;Wendy Hoskin;Ian Trethewey
Carmen Soler;Alan Dyer;Joan Pascoe;Keith Bolitho;Sarah Quick;Emlyn Vaughan;Tessa Burrow;Roger Nance;Maud Hext;Philip Orme
Dorothy Kemp;Luke Farrant;Anneke Bos;Gareth Lyle;Bronwen Hale;Denis Coad;Zoe Tangye;Martin Jewell;Elspeth Rowe;Victor Lamb
Heather Moyle;Noel Spargo;Isla Chenoweth;Bernard Tripp""".replace("\n", ";").split(";")
    voices = (["Soprano"] * 15 + ["Alto"] * 13 + ["Tenor"] * 6 + ["Bass"] * 10)
    R.shuffle(voices)
    rows = []
    unpaid = set(R.sample(range(44), 6))
    noatt = set(R.sample([i for i in range(44)], 2))
    for i, (n, v) in enumerate(zip(names, voices)):
        y = R.choice([2004, 2007, 2009, 2011, 2013, 2014, 2016, 2017, 2018, 2019, 2021, 2022, 2023])
        joined = str(y) if R.random() < .12 else f"{R.choice(['Sep', 'Sep', 'Jan', 'Apr'])} {y}"
        subs = None if i in unpaid else R.choice([120, 120, 120, 60, 40])
        att = None if i in noatt else R.randint(9, 24)
        rows.append(dict(name=n, voice=v, joined=joined, y=y, att=att, subs=subs, folder=i + 1,
                         rem=R.choice(["", "", "", "", "lift from Bodmin", "tea rota", "reads bass clef only", "away in June", "needs large print"])))
    rows[17]["att"] = 26
    t = "# St Brannoc's Chamber Choir, season 2023/24\n\nRegister kept by the secretary. 26 rehearsals held.\n\n"
    t += "| Name | Voice | Joined | Rehearsals | Subs paid | Folder | Remarks |\n|:-----|-------|--------|-----------:|----------:|:------:|---------|\n"
    for r in rows:
        t += f"| {r['name']} | {r['voice']} | {r['joined']} | {'' if r['att'] is None else r['att']} | {'' if r['subs'] is None else '£%d' % r['subs']} | {r['folder']} | {r['rem']} |\n"
    write("choir" ".md", t)
    by = defaultdict(list)
    for r in rows:
        if r["att"] is not None:
            by[r["voice"]].append(r["att"])
    ask("choir" ".md", [
        ("choir-altos", "How many altos have we got?", [[num(sum(r["voice"] == "Alto" for r in rows))]]),
        ("choir-unpaid", "Which members have no subs entered at all? I need to chase them.", lst(r["name"] for r in rows if r["subs"] is None)),
        ("choir-subs-total", "how much subs money has come in altogether", [[num(sum(r["subs"] or 0 for r in rows))]]),
        ("choir-best-attender", "Who has been to the most rehearsals?", [[best([r for r in rows if r["att"] is not None], lambda r: r["att"])["name"]]]),
        ("choir-attendance-by-section", "Average number of rehearsals attended for each voice, please - the conductor is asking.", [[k, num(mean(v))] for k, v in by.items()]),
        ("choir-old-hands", "Who joined before 2008?", lst(r["name"] for r in rows if r["y"] < 2008)),
        ("choir-basses-low", "Which basses have come to fewer than 15 rehearsals?", lst(r["name"] for r in rows if r["voice"] == "Bass" and r["att"] is not None and r["att"] < 15)),
        ("choir-sheet-music", "What did we spend on sheet music this season?", None),
    ])


# ---------------------------------------------------------------- 2 farm
def farm():
    R = random.Random(1202)
    cows = ["Berta", "Liesl", "Alma", "Heidi", "Resi", "Zenzi", "Flora", "Gerti", "Wilma", "Paula", "Rosa", "Elsa"]
    base = {c: R.randint(95, 165) for c in cows}
    fat = {c: R.randint(36, 46) for c in cows}
    bad = {"Gerti", "Rosa", "Zenzi"}
    rows = []
    for d in range(1, 15):
        for mz in ("morgens", "abends"):
            for i, c in enumerate(cows):
                if R.random() < .04:
                    continue
                lit = base[c] + R.randint(-18, 18) + (9 if mz == "morgens" else 0)
                ft = fat[c] * 10 + R.randint(-35, 35)
                z = R.randint(60, 330)
                if c in bad and R.random() < .22:
                    z = R.randint(405, 760)
                bem = ""
                if R.random() < .035:
                    lit, ft, z, bem = None, None, None, "Wartezeit, nicht abgeliefert"
                elif R.random() < .05:
                    bem = R.choice(["unruhig", "Euter gerötet", "Zitze hinten links wund", "lahmt etwas"])
                ds = f"{d:02d}.04.2024" if R.random() < .8 else f"{d}.4.2024"
                rows.append(dict(d=d, ds=ds, mz=mz, om=f"DE 09 {4711 + i * 13}", c=c, l=lit, f=ft, z=z, b=bem))

    def de(n, k):
        return "" if n is None else f"{n // 10**k},{n % 10**k:0{k}d}"
    write_csv("melkbuch.csv", ["Datum", "Melkzeit", "Ohrmarke", "Kuh", "Liter", "Fett %", "Zellzahl/ml", "Bemerkung"],
              [[r["ds"], r["mz"], r["om"], r["c"], de(r["l"], 1), de(r["f"], 2), "" if r["z"] is None else f"{r['z']}.000", r["b"]] for r in rows], ";", "\r\n")
    tot = defaultdict(int)
    for r in rows:
        tot[r["c"]] += r["l"] or 0
    m = {z: [F(r["l"], 10) for r in rows if r["mz"] == z and r["l"] is not None] for z in ("morgens", "abends")}
    ask("melkbuch.csv", [
        ("farm-beste-kuh", "Welche Kuh hat insgesamt am meisten Milch gegeben?", [[top(tot)[0][0]]]),
        ("farm-7-april", "Wie viel Liter haben wir am 7. April gemolken?", [[num(F(sum(r["l"] or 0 for r in rows if r["d"] == 7), 10))]]),
        ("farm-alma-fett", "was ist der durchschnittliche Fettgehalt bei der Alma", [[num(mean(F(r["f"], 100) for r in rows if r["c"] == "Alma" and r["f"] is not None))]]),
        ("farm-zellzahl", "Bei welchen Kühen lag die Zellzahl irgendwann über 400.000?", lst(uniq(r["c"] for r in rows if r["z"] and r["z"] > 400))),
        ("farm-morgens-abends", "Durchschnittliche Milchmenge pro Melkung, morgens und abends im Vergleich", [[k, num(mean(v))] for k, v in m.items()]),
        ("farm-liter-fehlt", "Wie oft fehlt die Literangabe?", [[num(sum(r["l"] is None for r in rows))]]),
        ("farm-8-12-april", "Gesamtmenge in Litern vom 8. bis einschließlich 12. April?", [[num(F(sum(r["l"] or 0 for r in rows if 8 <= r["d"] <= 12), 10))]]),
        ("farm-liesl-resi", "Um wie viele Liter lag die Liesl insgesamt über der Resi?", [[num(F(tot["Liesl"] - tot["Resi"], 10))]]),
        ("farm-milchpreis", "Was zahlt uns die Molkerei pro Liter?", None),
    ])


# ---------------------------------------------------------------- 3 vet
def vet():
    R = random.Random(1203)
    owners = ["Pereira, Ana", "O'Dowd, Kieran", "Banerjee, Tara", "Whitfield, Jo", "Lindgren, Per", "Mbeki, Thandi", "Sato, Rei", "Clarke, Winston", "Gallo, Pia", "Hughes, Nerys",
              "Novak, Ivan", "Bright, Celia", "Adeyemi, Tolu", "Frost, Helen"]
    pets = [("Bruno", "Dog", 41000), ("Tess", "Dog", 18200), ("Monty", "Dog", 9300), ("Juno", "Dog", 27400), ("Biscuit", "Dog", 6100), ("Kaiser", "Dog", 35600), ("Pip", "Dog", 4700),
            ("Smudge", "Cat", 4300), ("Duchess", "Cat", 6200), ("Olive", "Cat", 3900), ("Gizmo", "Cat", 4100), ("Sooty", "Cat", 5600), ("Marmalade", "Cat", 7100), ("Nettle", "Cat", 3300), ("Ziggy", "Cat", 4450),
            ("Thumper", "Rabbit", 2300), ("Clover", "Rabbit", 1750), ("Pretzel", "Guinea pig", 870), ("Nutmeg", "Guinea pig", 930), ("Echo", "Parrot", 410), ("Peanut", "Hamster", 120)]
    own = {p[0]: owners[i % len(owners)] for i, p in enumerate(pets)}
    reasons = ["Annual vaccination", "Vaccination, microchip", "Limping, left hind leg", "Dental check", "Itchy skin", "Off food, vomiting", "Nail trim", "Ear infection", "Weight check", "Post-op check, stitches out", "Worming"]
    vets = ["Dr Okafor", "Dr Lindqvist", "Dr Shah"]
    rows = []
    d0 = date(2024, 1, 3)
    for i in range(132):
        d = d0 + timedelta(days=int(i * 1.05) + R.randint(0, 1))
        p, sp, w = R.choice(pets)
        w = int(w * R.uniform(.97, 1.03)) // 10 * 10
        rs = R.choice(reasons)
        if sp in ("Parrot", "Hamster", "Guinea pig") and "accin" in rs:
            rs = "Nail trim"
        fee = R.choice([2800, 3450, 4200, 4500, 5275, 6850, 9600, 12050, 18800])
        rows.append(dict(d=d, own=own[p], pet=p, sp=sp, w=w if R.random() > .06 else None, rs=rs, vet=R.choice(vets), fee=fee if R.random() > .04 else None, paid="no" if R.random() < .14 else "yes"))
    rows.sort(key=lambda r: r["d"])
    out = []
    for r in rows:
        if r["w"] is None:
            ws = ""
        elif r["w"] < 1000 or (r["w"] < 2000 and R.random() < .5):
            ws = f"{r['w']} g"
        else:
            ws = f"{r['w'] / 1000:g} kg"
        sp = r["sp"].lower() if R.random() < .1 else r["sp"]
        out.append([r["d"].isoformat(), r["own"], r["pet"], sp, ws, r["rs"], r["vet"], "" if r["fee"] is None else f"£{r['fee'] / 100:.2f}", r["paid"]])
    write_csv("vet_visits.csv", ["date", "owner", "pet", "species", "weight", "reason", "seen by", "fee", "paid"], out)
    W = [r for r in rows if r["w"] is not None]
    h = best(W, lambda r: r["w"])
    bill = {v: F(sum(r["fee"] or 0 for r in rows if r["vet"] == v), 100) for v in vets}
    assert not any(r["w"] == 1000 or (r["sp"] == "Cat" and r["w"] == 5000) for r in W)
    ask("vet_visits.csv", [
        ("vet-dog-visits", "how many visits were dogs", [[num(sum(r["sp"] == "Dog" for r in rows))]]),
        ("vet-heaviest", "Which animal was the heaviest on our scales and who is the owner?", [[h["pet"], h["own"]]]),
        ("vet-billed", "What did each vet bill in total?", [[k, num(v)] for k, v in bill.items()]),
        ("vet-march-jabs", "Number of vaccination appointments in March", [[num(sum("accination" in r["rs"] and r["d"].month == 3 for r in rows))]]),
        ("vet-tiny", "How many visits had an animal weighing under 1 kg?", [[num(sum(r["w"] < 1000 for r in W))]]),
        ("vet-unpaid", "What do the unpaid bills add up to?", [[num(F(sum(r["fee"] or 0 for r in rows if r["paid"] == "no"), 100))]]),
        ("vet-fat-cats", "Which cats have weighed in at more than 5 kg? Just the names, each once.", lst(uniq(r["pet"] for r in W if r["sp"] == "Cat" and r["w"] > 5000))),
        ("vet-median-fee", "median fee?", [[num(median(F(r["fee"], 100) for r in rows if r["fee"] is not None))]]),
    ])


# ---------------------------------------------------------------- 4 ward
def ward():
    R = random.Random(1204)
    beds = [f"B{i:02d}" for i in range(1, 11)]
    nurses = ["Amara", "Declan", "Ines", "Rowan", "Siobhan"]
    rows = []
    for day in (12, 13, 14, 15):
        for slot in (1, 6, 10, 14, 18, 22):
            for b in beds:
                if R.random() < .05:
                    continue
                t = datetime(2024, 2, day, slot, R.randint(3, 50))
                hot = b in ("B03", "B07") and R.random() < .4
                temp = R.randint(381, 392) if hot else R.randint(358, 378)
                if R.random() < .05:
                    temp = R.choice(["", "n/a"])
                sat = R.randint(86, 93) if b in ("B05", "B09") and R.random() < .4 else R.randint(92, 99)
                sy = R.randint(96, 175)
                rows.append(dict(t=t, b=b, p=R.randint(54, 118), sy=sy, di=R.randint(52, min(98, sy - 25)), temp=temp, sat=sat, pain=None if R.random() < .08 else R.choice([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]), n=R.choice(nurses)))
    rows.sort(key=lambda r: (r["t"], r["b"]))
    hotrow = next(r for r in rows if r["b"] == "B07" and r["t"].day == 13 and r["t"].hour == 18)
    hotrow["temp"] = 397
    write_csv("ward_obs.csv", ["taken_at", "bed", "pulse", "bp", "temp_c", "spo2", "pain", "nurse"],
              [[r["t"].strftime("%Y-%m-%d %H:%M"), r["b"], r["p"], f"{r['sy']}/{r['di']}", r["temp"] if isinstance(r["temp"], str) else f"{r['temp'] / 10:.1f}", f"{r['sat']}%",
                "" if r["pain"] is None else r["pain"], r["n"]] for r in rows])
    T = [r for r in rows if not isinstance(r["temp"], str)]
    h = best(T, lambda r: r["temp"])
    ask("ward_obs.csv", [
        ("ward-fever", "How many sets of obs had a temperature of 38 or more?", [[num(sum(r["temp"] >= 380 for r in T))]]),
        ("ward-hottest", "Highest temp on the ward - which bed and when?", [[h["b"], h["t"].strftime("%Y-%m-%d %H:%M")]]),
        ("ward-lowest-sats", "lowest sats for each bed pls", [[b, num(min(r["sat"] for r in rows if r["b"] == b))] for b in beds]),
        ("ward-night", "How many obs were done between 10pm and 6am?", [[num(sum(r["t"].hour >= 22 or r["t"].hour < 6 for r in rows))]]),
        ("ward-no-temp", "How many times was no temperature recorded?", [[num(sum(isinstance(r["temp"], str) for r in rows))]]),
        ("ward-pulse-b06", "Average pulse for B06 over the whole period", [[num(mean(r["p"] for r in rows if r["b"] == "B06"))]]),
        ("ward-schmerz", "Wie viele Messungen gab es mit Schmerzwert 7 oder höher?", [[num(sum(r["pain"] is not None and r["pain"] >= 7 for r in rows))]]),
        ("ward-antibiotics", "Which patients are on antibiotics?", None),
    ])


# ---------------------------------------------------------------- 5 brewery
def brewery():
    R = random.Random(1505)
    beers = [("Lantern", "IPA", 58), ("Wrecker", "IPA", 66), ("Gull", "Pale Ale", 44), ("Tidewater", "Pale Ale", 47), ("Collier", "Stout", 55), ("Midnight Mass", "Stout", 92), ("Haymaker", "Saison", 61),
             ("Parish", "Bitter", 38), ("Old Ferry", "Bitter", 41), ("Kiln", "Lager", 48)]
    hops = {"IPA": ["Citra", "Mosaic", "Simcoe", "Centennial"], "Pale Ale": ["Citra", "Cascade", "Amarillo"], "Stout": ["Fuggle", "Challenger"], "Saison": ["Styrian Golding", "Saaz"],
            "Bitter": ["Goldings", "Fuggle", "Challenger"], "Lager": ["Saaz", "Hallertau"]}
    rows = []
    d = date(2024, 1, 4)
    for i in range(58):
        beer, st, abv = R.choice(beers)
        a = abv + R.randint(-3, 3)
        v = R.choice([500, 800, 850, 1000, 1200, 1500, 2000, 300])
        hp = R.sample(hops[st], R.randint(1, min(3, len(hops[st]))))
        fin = d < date(2024, 6, 1)
        status = "packaged" if fin else "fermenting"
        note = R.choice(["", "", "", "pump trouble", "stuck mash, rested 20 min", "yeast gen 4", "label says 330 ml, fine", "wort a bit cloudy"])
        if fin and R.random() < .1:
            status, note = "dumped", R.choice(["infected", "diacetyl, undrinkable", "lid left open"])
        og = 1000 + 10 + int(a * .76) + 2
        fg = og - int(a * .762)
        shift = R.randint(-3, 4)
        og, fg = og + shift, fg + shift
        rows.append(dict(no=f"24-{i + 1:03d}", beer=beer, st=st, d=d, v=v, og=og, fg=fg if fin else None, a=a if fin else None, hp=hp, fv=f"FV{R.randint(1, 5)}", status=status, note=note))
        d += timedelta(days=R.choice([1, 3, 3, 4, 4]))
    mm = next(r for r in rows if r["beer"] == "Midnight Mass" and r["a"])
    mm.update(a=98, og=mm["fg"] + 74)
    strong = best([r for r in rows if r["a"]], lambda r: r["a"])
    b = []
    for r in rows:
        vs = f"{r['v'] / 100:g} hl" if R.random() < .55 else f"{r['v']} L"
        b.append([r["no"], r["beer"], r["st"], f"{r['d'].day} {r['d'].strftime('%b %Y')}", vs, f"{r['og'] / 1000:.3f}", "" if r["fg"] is None else f"{r['fg'] / 1000:.3f}", "" if r["a"] is None else f"{r['a'] / 10:.1f}%",
                  ", ".join(r["hp"]), r["fv"], r["status"], r["note"]])
    write("brews.tsv", "\n".join("\t".join(x) for x in [["Batch", "Beer", "Style", "Brewed", "Volume", "OG", "FG", "ABV", "Hops", "Vessel", "Status", "Notes"]] + b) + "\n")
    sty = uniq(r["st"] for r in rows)
    ask("brews.tsv", [
        ("brew-litres", "How many litres have we brewed in all, every batch counted?", [[num(sum(r["v"] for r in rows))]]),
        ("brew-strongest", "whats the strongest batch we made, number and beer", [[strong["no"], strong["beer"]]]),
        ("brew-abv-style", "Average ABV per style", [[s, num(mean(F(r["a"], 10) for r in rows if r["st"] == s and r["a"]))] for s in sty]),
        ("brew-citra", "In how many batches did we use Citra?", [[num(sum("Citra" in r["hp"] for r in rows))]]),
        ("brew-dumped", "Which batches had to be dumped? Give me the batch number and the reason noted.", [[r["no"], r["note"]] for r in rows if r["status"] == "dumped"]),
        ("brew-no-fg", "How many batches have no final gravity yet?", [[num(sum(r["fg"] is None for r in rows))]]),
        ("brew-may", "How many brews did we do in May?", [[num(sum(r["d"].month == 5 for r in rows))]]),
    ])
    assert any(r["status"] == "dumped" for r in rows)


# ---------------------------------------------------------------- 6 bike shop
def bikes():
    R = random.Random(1206)
    makes = ["Genesis", "Trek", "Cube", "Specialized", "Raleigh", "Kona", "Brompton", "Orbea", "Dawes"]
    wts = [14, 22, 18, 9, 11, 5, 16, 3, 2]
    jobs = {"puncture": (15, 1800), "brake bleed": (40, 4500), "wheel true": (30, 2500), "full service": (120, 11500), "gear adjust": (25, 2200), "headset": (45, 3900), "chain and cassette": (35, 6800), "bottom bracket": (50, 5600)}
    first = ["Ellis", "Mina", "Graham", "Yusuf", "Carys", "Bea", "Oskar", "Lena", "Dev", "Ruairi", "Sam", "Petra", "Hugo", "Nell"]
    last = ["Hart", "Okoye", "Brandt", "Singh", "Moss", "Doyle", "Ferreira", "Wolski", "Tanner", "Price"]
    mech = ["Jo", "Kasper", "Mehmet"]
    rows = []
    t = datetime(2024, 5, 2, 9, 10)
    for i in range(156):
        t += timedelta(hours=R.choice([3, 5, 8, 19, 21]), minutes=R.randint(0, 50))
        while t.hour < 9 or t.hour > 17 or t.weekday() == 6:
            t += timedelta(hours=4)
        j = R.choice(list(jobs))
        lab, pr = jobs[j]
        mk = R.choices(makes, wts)[0]
        ty = "folding" if mk == "Brompton" else R.choice(["road", "mountain", "e-bike", "hybrid", "hybrid", "road", "kids"])
        price = int(pr * R.uniform(.85, 1.5) * (1.2 if ty == "e-bike" else 1)) // 50 * 50
        late = i > 135
        got = None if (R.random() < (.5 if late else .04)) else datetime(t.year, t.month, t.day, R.randint(9, 17), R.randint(0, 59)) + timedelta(days=R.choice([1, 1, 2, 3, 5]))
        rows.append(dict(ticket=3101 + i, t=t, got=got, cust=f"{R.choice(first)} {R.choice(last)}", mk=mk, ty=ty, job=j, lab=None if R.random() < .07 else max(5, int(lab * R.uniform(.6, 1.7))), price=price, m=R.choice(mech)))
    out = []
    for r in rows:
        o = {"ticket": r["ticket"], "brought_in": r["t"].isoformat(), "collected": r["got"].isoformat() if r["got"] else None, "customer": r["cust"], "bike": {"make": r["mk"], "type": r["ty"]}, "job": r["job"],
             "labour_min": r["lab"], "price_eur": r["price"] / 100, "mechanic": r["m"]}
        if R.random() < .1:
            o["note"] = R.choice(["wants a call, not a text", "no lights", "rusty, told customer", "spare key with bike"])
        out.append(json.dumps(o))
    write("repairs.jsonl", "\n".join(out) + "\n")
    cm = Counter(r["mk"] for r in rows)
    rev = defaultdict(int)
    for r in rows:
        rev[r["m"]] += r["price"]
    ex = best(rows, lambda r: r["price"])
    P = lambda ty: [F(r["price"], 100) for r in rows if r["ty"] == ty]
    ask("repairs.jsonl", [
        ("bike-uncollected", "How many bikes have not been collected yet?", [[num(sum(r["got"] is None for r in rows))]]),
        ("bike-june", "What do the jobs brought in during June come to in euros?", [[num(F(sum(r["price"] for r in rows if r["t"].month == 6), 100))]]),
        ("bike-true-median", "median labour minutes for a wheel true", [[num(median(r["lab"] for r in rows if r["job"] == "wheel true" and r["lab"] is not None))]]),
        ("bike-mechanic", "Which mechanic brought in the most money?", [[top(rev)[0][0]]]),
        ("bike-top-makes", "Top 3 makes we see in the workshop, with number of repairs each", [[k, num(v)] for k, v in top(cm, 3)]),
        ("bike-ebike-vs-mtb", "Compare the average price of a job on e-bikes and on mountain bikes.", [["e-bike", num(mean(P("e-bike")))], ["mountain", num(mean(P("mountain")))]]),
        ("bike-dearest", "What was our most expensive repair, and whose bike was it?", [[ex["job"], ex["cust"]]]),
        ("bike-ebike-share", "What percentage of the jobs were on e-bikes?", [[num(F(100 * len(P("e-bike")), len(rows)))]]),
    ])

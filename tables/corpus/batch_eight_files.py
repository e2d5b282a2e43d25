"""The ten files of the eighth batch. Needs Python 3.9; batch_eight.py calls it and reads the files again.

Deterministic.
"""
import json
import random
from datetime import date, datetime, timedelta

from common import FILES, french, german, table, write


def everything():
    exports()
    flats()
    timesheet()
    survey()
    deploys()
    cars()
    resolver()
    kernel()
    stocks()
    plants()


def exports():
    rng = random.Random(801)
    lines = ["Country;Product;Value (EUR);Tonnes;Year"]
    for year in (2022, 2023, 2024):
        for country in ["France", "Italy", "Spain", "Poland"]:
            for product in ["Wine", "Steel", "Olive oil"]:
                lines.append(f"{country};{product};{french(rng.randrange(100000, 99000000) / 100)};{rng.randrange(20, 9000)};{year}")
    write("exports.csv", "\n".join(lines) + "\n")


def flats():
    rng = random.Random(802)
    lines = ["Straße;Stadtteil;Zimmer;Wohnfläche;Kaltmiete;Balkon;frei ab"]
    for number in range(34):
        day = date(2026, 1, 1) + timedelta(days=15 * rng.randrange(12))
        lines.append(f"{rng.choice(['Lindenweg', 'Bergstraße', 'Am Markt', 'Gartenallee'])} {number + 1};{rng.choice(['Altstadt', 'Südviertel', 'Hafen'])};{rng.choice(['1', '2', '2,5', '3', '4'])};{rng.randrange(280, 1300) / 10:.1f} m²;".replace(".", ",")
                     + f"{german(rng.randrange(32000, 189000) / 100)} €;{rng.choice(['ja', 'nein'])};{day:%d.%m.%Y}")
    write("wohnungen.csv", "\n".join(lines) + "\n")


def timesheet():
    rng = random.Random(803)
    rows = [["Employee", "Project", "Day", "Hours", "Billable", "Note"]]
    for _ in range(54):
        day = date(2026, 5, 4) + timedelta(days=rng.randrange(26))
        rows.append([rng.choice(["Lee", "Marsh", "Novak", "Ortiz"]), rng.choice(["Apollo", "Borealis", "internal"]), day.isoformat(), f"{rng.randrange(1, 33) / 4:.2f}",
                     rng.choice(["yes", "no"]), rng.choice(["", "", "on site", "call, follow-up"])])
    write("timesheet.csv", table(rows))


def survey():
    rng = random.Random(804)
    rows = [["respondent", "age group", "city", "satisfaction", "would recommend", "spent"]]
    for number in range(50):
        rows.append([f"P{number + 1:03d}", rng.choice(["18-29", "30-49", "50+"]), rng.choice(["Leeds", "York", "Hull"]), rng.choice(["1", "2", "3", "4", "5", ""]),
                     rng.choice(["Yes", "No", "Maybe"]), f"£{rng.randrange(0, 25000) / 100:.2f}"])
    write("survey.tsv", table(rows, "\t"))


def deploys():
    rng = random.Random(805)
    lines = []
    for number in range(52):
        moment = datetime(2026, 6, 1, 7) + timedelta(hours=5 * number, minutes=rng.randrange(60))
        lines.append(json.dumps({"service": rng.choice(["billing", "search", "auth"]), "env": rng.choice(["prod", "staging"]), "result": rng.choice(["ok", "ok", "ok", "rolled back"]),
                                 "by": {"name": rng.choice(["Rhea", "Sami", "Theo"]), "team": rng.choice(["core", "web"])}, "seconds": rng.randrange(20, 900), "at": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}))
    write("deploys.jsonl", "\n".join(lines) + "\n")


def cars():
    rng = random.Random(806)
    lines = ["Kennzeichen;Marke;Baujahr;Kilometerstand;Kraftstoff;TÜV bis"]
    for number in range(32):
        due = date(2026, 1, 1) + timedelta(days=30 * rng.randrange(24))
        lines.append(f"KL-{chr(65 + number % 26)} {rng.randrange(10, 999)};{rng.choice(['VW', 'Škoda'.replace('Š', 'S'), 'Citroën', 'Opel'])};{rng.randrange(2004, 2025)};{rng.randrange(3, 290)}.{rng.randrange(1000):03d} km;{rng.choice(['Benzin', 'Diesel', 'Strom'])};{due:%d.%m.%Y}")
    (FILES / "fuhrpark.csv").write_bytes(("\n".join(lines) + "\n").encode("latin-1"))


def resolver():
    rng = random.Random(807)
    lines = []
    for number in range(64):
        moment = datetime(2026, 7, 9, 20) + timedelta(seconds=41 * number)
        lines.append(f"{moment:%Y-%m-%dT%H:%M:%SZ} client=10.1.0.{rng.randrange(2, 7)} query={rng.choice(['example.org', 'mail.example', 'ads.example', 'cdn.example'])} type={rng.choice(['A', 'AAAA', 'MX'])} rcode={rng.choice(['NOERROR', 'NOERROR', 'NXDOMAIN', 'SERVFAIL'])} time={rng.randrange(1, 480)}ms cached={rng.choice(['true', 'false'])}")
    write("dns.log", "\n".join(lines) + "\n")


def kernel():
    rng = random.Random(808)
    lines = []
    for number in range(56):
        moment = datetime(2026, 2, 20, 4) + timedelta(minutes=9 * number)
        lines.append(f"<{rng.choice([3, 4, 6])}>1 {moment:%Y-%m-%dT%H:%M:%SZ} {rng.choice(['node1', 'node2', 'node3'])} {rng.choice(['kubelet', 'containerd', 'chronyd'])} {rng.randrange(400, 4000)} - - {rng.choice(['Started container web', 'Image pulled', 'Clock was stepped', 'Out of disk space'])}")
    write("nodes.log", "\n".join(lines) + "\n")


def stocks():
    rng = random.Random(809)
    rows = [["Date", "Ticker", "Open", "Close", "Change", "Volume"]]
    for number in range(20):
        day = date(2026, 1, 5) + timedelta(days=number)
        for ticker in ["ACM", "BLT", "CRX"]:
            opened, closed = rng.randrange(9000, 21000), rng.randrange(9000, 21000)
            rows.append([f"{day:%m/%d/%Y}", ticker, f"{opened / 100:.2f}", f"{closed / 100:.2f}", f"{100 * (closed - opened) / opened:+.1f}%", f"{rng.randrange(12000, 4900000):,}"])
    write("stocks.csv", table(rows))


def plants():
    rng = random.Random(810)
    lines = ["| Plant | Family | Height | Light | Water every | Bought |", "|---|---|---|---|---|---|"]
    for name in ["Monstera", "Basil", "Aloe", "Fern", "Ivy", "Mint", "Yucca", "Orchid", "Cactus", "Ficus", "Sage", "Palm"]:
        day = date(2025, 1, 1) + timedelta(days=rng.randrange(400))
        lines.append(f"| {name} | {rng.choice(['Araceae', 'Lamiaceae', 'Asphodelaceae'])} | {rng.randrange(8, 240)} cm | {rng.choice(['sun', 'shade', 'half shade'])} | {rng.randrange(1, 22)} days | {day:%d %b %Y} |")
    write("plants" ".md", "\n".join(lines) + "\n")

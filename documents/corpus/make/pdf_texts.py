"""Texts of the PDF corpus, written for it, and the file that says what a reader should find in each PDF."""

import json
import pathlib
import re
import subprocess

OUT = pathlib.Path(__file__).resolve().parent.parent / "pdf"

PROSE = [
    "The harbour of Easton was built in the winter of 1843, when the fishing fleet had outgrown the small natural cove beneath "
    "the chapel. Granite for the outer wall came by barge from the quarries at Marrow Point, and the accounts of the first "
    "harbour master show that every third barge was lost to the weather. The wall was finished in eleven months, which the "
    "town regarded as slow, and it has not needed a major repair since.",
    "Water enters the upper basin through two sluices that are opened for forty minutes before each high tide. The keeper "
    "reads the level on a brass scale, writes it into the daily log, and closes the gates when the difference between basin "
    "and sea falls below nine inches. Measurements from more than a century survive, and they remain the longest unbroken "
    "series of tidal observations on this part of the coast.",
    "Visitors often ask why the lighthouse stands so far from the cliff. The answer is that the cliff moved. Surveys made "
    "after the storm of 1903 found that the edge had retreated by almost sixty yards within a single generation, and the "
    "engineers chose a site that would remain safe for at least two hundred years. Their estimate was generous, but the "
    "method was sound, and it is still taught.",
    "A modern reading of the same records gives a different picture. The rate of erosion was never constant; it followed the "
    "supply of shingle, which in turn depended on the dredging of the channel further west. When the dredging stopped, the "
    "beach recovered within a decade and the cliff behind it became almost stable. Economic decisions far away decided the "
    "fate of the shore, as they do today.",
    "The present study combines these observations with a numerical model of the estuary. It resolves the flow on a grid of "
    "fifty metres and represents the sediment by three classes of grains. Calibration used the levels of 1998 alone, so that "
    "all other years could serve as an independent test of the predictions. The agreement is better than one might expect "
    "from so simple a description.",
    "Some difficulties should be mentioned. Instruments were replaced in 1921 and again in 1957, and no overlapping "
    "measurements were made on either occasion. The keeper's handwriting is difficult to read in the years of the war, and "
    "several pages were damaged by water. We have marked every uncertain figure, and none of our conclusions depends on them.",
    "Trade through the harbour followed the price of copper. In good years more than four hundred ships called, and the "
    "inns along the quay were full from spring to late autumn. In bad years the fleet lay idle, families moved to the "
    "mining towns inland, and the parish records show how few of them came back. The pattern repeated itself five times "
    "before the last mine closed.",
    "Restoration of the old warehouse began with its roof. The original slates were taken down, sorted by hand, and nearly "
    "two thirds of them could be used again; the missing ones were found at a demolished school in the next valley. The "
    "timber frame below had suffered less than anybody feared, because the builders had left generous openings for the wind "
    "to pass through.",
    "What should be learned from all this is modest. Local records are worth keeping even when nobody can say what they "
    "might be good for, simple instruments that are read every day are better than excellent ones that are not, and the "
    "people who wrote the figures down deserve to be named. Their names are listed at the end of the report, in the order "
    "in which they served.",
    "The committee met on six occasions and heard evidence from residents, from the harbour authority, and from the two "
    "companies that operate ferries. Opinions differed sharply about the cost of a new pier. Nobody disputed, however, that "
    "the existing one is unsafe in winter, and that the responsibility for it has never been settled between the county and "
    "the authority.",
    "Birds return to the marsh in the second week of March, first the lapwings and then, within a few days, the redshanks. "
    "Their numbers were counted from the old signal tower by volunteers who met every morning before work. The counts are "
    "remarkably consistent with those made by the university, and they cost nothing except patience and strong coffee.",
    "Finally, the question of the bell. It hung in the tower of the customs house until 1912 and was rung in fog at "
    "intervals of thirty seconds. When the building was sold the bell disappeared, and a long correspondence between the "
    "council and three successive owners did not bring it back. A copy was cast in 1988 from drawings, and it is this copy "
    "that visitors hear today.",
]

CLAUSES = [
    ("Definitions", [
        "In this agreement, unless the context requires otherwise, the landlord means Harbour Estates Limited and the tenant "
        "means the person named in the schedule. The premises are the ground floor and the yard of 14 Quay Street, Easton, "
        "with the fixtures listed in the inventory.",
        "A reference to a month is to a calendar month. Headings are for convenience only and do not affect the "
        "interpretation of this agreement.",
    ]),
    ("Term", [
        "The tenancy begins on 1 April 2024 and continues for a fixed term of three years. It ends on 31 March 2027 without "
        "notice being required from either party, unless it is renewed in writing before that date.",
        "If the tenant remains in the premises with the consent of the landlord after the end of the fixed term, the tenancy "
        "continues from month to month on the same conditions.",
    ]),
    ("Rent", [
        "The rent is 1,450.00 euros a month, payable in advance on the third working day of each month to the account named "
        "by the landlord. A payment is made in time if the account has been credited on that day.",
        "The landlord may increase the rent once in every period of twelve months, by no more than the increase of the "
        "consumer price index published by the national office of statistics, and only with three months' notice in writing.",
        "Interest on overdue rent is charged at five percentage points above the base rate from the day after the payment "
        "was due until the day on which it is received.",
    ]),
    ("Deposit", [
        "The tenant pays a deposit of 4,350.00 euros before the keys are handed over. The landlord keeps it in a separate "
        "account that bears interest, and returns it with the interest within six weeks after the end of the tenancy, less "
        "any sum that is owed under this agreement.",
    ]),
    ("Repairs", [
        "The landlord keeps the structure and the exterior of the premises in repair, together with the installations for "
        "the supply of water, gas and electricity. The tenant keeps the interior clean and in good decorative condition, fair "
        "wear and tear excepted.",
        "Defects shall be reported without delay. If the landlord does not begin the repair within fourteen days after a "
        "report in writing, the tenant may have the work carried out and deduct the reasonable cost from the rent.",
    ]),
    ("Use of the premises", [
        "The premises shall be used as a workshop for the repair of musical instruments and for the sale of accessories, and "
        "for no other purpose without the prior consent of the landlord. Consent shall not be unreasonably withheld.",
        "No noise that can be heard outside the premises may be made between ten in the evening and seven in the morning.",
    ]),
    ("Termination", [
        "Either party may terminate this agreement with immediate effect if the other commits a serious breach and does not "
        "remedy it within thirty days after being asked to do so in writing. Arrears of two months' rent are a serious breach.",
        "On termination the tenant returns all keys, removes his property, and leaves the premises in the condition described "
        "in the inventory. Property that has not been removed within ten days may be stored at the expense of the tenant.",
    ]),
    ("Insurance", [
        "The landlord insures the building against fire, storm and flood. The tenant insures the contents of the premises "
        "and his liability towards third parties, with a cover of at least two million euros, and shows the policy to the "
        "landlord every year.",
    ]),
    ("Notices", [
        "Notices under this agreement are valid only in writing and are sent to the addresses in the schedule. A notice sent "
        "by registered letter is treated as received on the third day after posting.",
    ]),
    ("Governing law", [
        "This agreement is governed by the law of the country in which the premises are situated, and the courts at that "
        "place have exclusive jurisdiction. If a provision is void, the others remain in force.",
    ]),
]

ITEMS = ["Anchor chain", "Brass lamp", "Canvas sheet", "Deck paint", "Engine oil", "Fender, large", "Galvanised bucket", "Hand pump",
         "Iron cleat", "Jute rope", "Keel bolt", "Life jacket", "Marine varnish", "Navigation light", "Oak plank", "Pulley block",
         "Quilted cover", "Rudder pin", "Sail needle", "Tar, barrel", "Utility knife", "Varnish brush", "Winch handle", "Yard timber"]


def goods(count, start=0):
    """Rows of a table: article, quantity, price, amount."""
    rows = []
    for index in range(start, start + count):
        name = ITEMS[index % len(ITEMS)] + ("" if index < len(ITEMS) else f" {index // len(ITEMS) + 1}")
        quantity, price = 1 + index * 7 % 19, 150 + index * 1379 % 9000
        rows.append([name, str(quantity), f"{price / 100:.2f}", f"{quantity * price / 100:,.2f}"])
    return rows


GOODS_HEADER = ["Article", "Quantity", "Price", "Amount"]

STATIONS = [["Station", "River", "Opened", "Depth"], ["Aldbrook", "Wend", "1921", "4.2 m"], ["Birch Hill", "Wend", "1934", "3.9 m"],
            ["Carrow", "Tarn", "1957", "6.1 m"], ["Dunmere", "Tarn", "1958", "5.5 m"], ["Elm Lock", "Ouse", "1962", "2.8 m"],
            ["Fallow Weir", "Ouse", "1971", "3.3 m"]]

DUTIES = [["Duty", "Who", "When"],
          ["Reading the level at the upper basin and entering it in the log", "Keeper on watch", "Twice a day"],
          ["Greasing the gears of both sluices", "Engineer", "Every Monday"],
          ["Testing the fog signal and the emergency generator under load", "Engineer and keeper", "First day of the month"],
          ["Painting the railings", "Contractor", "Each spring"]]


def words(text):
    return re.sub(r"[\W_]+", "", text.lower())


def pages_of(path, password=None):
    """The text of each page, by poppler's reader, which is not the one that is tested."""
    key = ["-upw", password] if password else []
    text = subprocess.run(["pdftotext", *key, str(path), "-"], check=True, capture_output=True).stdout.decode()
    return text.split("\f")[:-1]


def places(path, texts, password=None):
    """Quotes out of the middle of texts, each with the page on which it stands, if it stands on one page alone."""
    pages = [words(page) for page in pages_of(path, password)]
    found = []
    for text in texts:
        parts = text.split()
        middle = max(0, len(parts) // 2 - 3)
        quote = " ".join(parts[middle:middle + 6])
        on = [number for number, page in enumerate(pages, 1) if words(quote) in page]
        if len(on) == 1:
            found.append({"quote": quote, "page": on[0]})
    return found


def expect(name, producer, held_out, flow, tables=(), ruled=(), quotes=None, password=None, ends=None, warnings=None, kinds=None):
    """Writes what should be found in a file. `flow` is its text in reading order, a list of paragraphs; `ruled` says of each table
    whether lines stand around its cells."""
    assert len(ruled) == len(tables), name
    path = OUT / f"{name}.pdf"
    if quotes is None:
        quotes = [text for text in flow if len(text.split()) >= 8]
    expected = {
        "producer": producer,
        "held_out": held_out,
        "text": "\n".join(flow),
        "places": places(path, quotes, password) if not isinstance(quotes, dict) else quotes["places"],
        "tables": list(tables),
    }
    if tables:
        expected["ruled"] = list(ruled)
    if password:
        expected["password"] = password
    if ends:
        expected["refused"] = ends
    if warnings:
        expected["warnings"] = warnings
    if kinds:
        expected["kinds"] = kinds
    with open(OUT / f"{name}.json", "w", encoding="utf-8") as file:
        json.dump(expected, file, ensure_ascii=False, indent=1)
        file.write("\n")


def cells(rows):
    """A table as paragraphs of the flow: its cells in reading order."""
    return [" ".join(row) for row in rows]

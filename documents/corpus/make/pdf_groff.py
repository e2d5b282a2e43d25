#!/usr/bin/env python3
"""PDFs by groff: papers, contracts, tables, manual pages.

Needs groff with its PDF and PostScript devices, ghostscript, poppler-utils (Debian: groff ghostscript poppler-utils).
"""

import os
import pathlib
import subprocess

from pdf_texts import CLAUSES, DUTIES, GOODS_HEADER, OUT, PROSE, STATIONS, cells, expect, goods

ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "TZ": "UTC"}


def groff(name, source, *flags, device="pdf"):
    made = subprocess.run(["groff", "-Kutf8", f"-T{device}", *flags], input=source.encode(), check=True, capture_output=True, env=ENVIRONMENT)
    path = OUT / f"{name}.pdf"
    if device == "ps":
        subprocess.run(["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", f"-sOutputFile={path}", "-"],
                       input=made.stdout, check=True, env=ENVIRONMENT)
    else:
        path.write_bytes(made.stdout)


def troff(text):
    return text.replace("\\", "\\e").replace("'", "\\(cq")


def expected(text):
    return text.replace("'", "’")


def paper():
    source = [".nr PS 10", ".nr VS 12", ".nr LL 6.5i", ".nr PO 1i", ".TL", "Tides and Ledgers: a Century of Records from Easton", ".AU",
              "M. Farrow and J. Oakes", ".AI", "Institute for Coastal History", ".AB", PROSE[8].replace("'", "\\(cq"), ".AE", ".2C"]
    flow = ["Tides and Ledgers: a Century of Records from Easton", "M. Farrow and J. Oakes", "Institute for Coastal History", "ABSTRACT",
            PROSE[8]]
    sections = [("Introduction", [0, 1]), ("The retreat of the cliff", [2, 3]), ("Methods", [4, 5]), ("Trade", [6, 7]),
                ("Discussion", [9, 10, 11])]
    note = "The ledgers are kept in the county archive under the number EA 1843 and may be read on request."
    for number, (title, texts) in enumerate(sections, 1):
        source += [".NH", title]
        flow.append(f"{number}. {title}")
        for index in texts:
            source += [".PP", troff(PROSE[index])]
            if index == 1:
                source[-1] += "\\**"
                source += [".FS", note, ".FE"]
            flow.append(expected(PROSE[index]) + ("1" if index == 1 else ""))
            if index == 1:
                flow.append("1. " + note)
    groff("groff-two-columns", "\n".join(source) + "\n", "-ms")
    expect("groff-two-columns", "groff", False, flow)


def contract():
    source = [".ds LH Tenancy agreement", ".ds CH", ".ds RH Harbour Estates", ".ds CF Page %", ".nr PS 13", ".nr VS 20", ".TL", "Tenancy Agreement"]
    flow = ["Tenancy Agreement"]
    for number, (title, texts) in enumerate(CLAUSES, 1):
        source += [".NH", title]
        flow.append(f"{number}. {title}")
        for text in texts:
            source += [".LP", troff(text)]
            flow.append(expected(text))
    groff("groff-contract", "\n".join(source) + "\n", "-ms")
    expect("groff-contract", "groff", False, flow, kinds={"headings": [f"{n}. {title}" for n, (title, _) in enumerate(CLAUSES, 1)]})


def tables():
    stock = [GOODS_HEADER, *goods(58)]
    def tbl(form, options, rows, header=False):
        lines = [".TS" + (" H" if header else ""), options + " tab(|);", *form]
        for index, row in enumerate(rows):
            lines.append("|".join(row))
            if header and index == 0:
                lines.append(".TH")
        return [*lines, ".TE"]
    duties = [DUTIES[0], *DUTIES[1:]]
    wrapped = [".TS", "allbox tab(|);", "lb lb lb", "lw(2.6i) lw(1.4i) lw(1.2i).", "|".join(duties[0])]
    for row in duties[1:]:
        wrapped.append("|".join("T{\n" + cell + "\nT}" for cell in row))
    wrapped.append(".TE")
    source = [".nr PS 10", ".nr VS 12", ".TL", "Stock and stations", ".LP", troff(PROSE[0]), *tbl(["lb lb lb lb", "l l n n."], "allbox", STATIONS),
              ".LP", troff(PROSE[1]), *tbl(["lb lb lb lb", "l l n n."], "center", STATIONS), ".LP", troff(PROSE[2]), *wrapped, ".LP", troff(PROSE[9]),
              *tbl(["lb rb rb rb", "l r r r."], "allbox", stock, header=True), ".LP", troff(PROSE[10])]
    groff("groff-tables", "\n".join(source) + "\n", "-ms", "-t")
    flow = ["Stock and stations", expected(PROSE[0]), *cells(STATIONS), expected(PROSE[1]), *cells(STATIONS), expected(PROSE[2]), *cells(DUTIES),
            expected(PROSE[9]), *cells(stock), expected(PROSE[10])]
    expect("groff-tables", "groff", False, flow, [STATIONS, STATIONS, DUTIES, stock], [True, False, True, True])


def manual():
    options = [("-a", "Read all records, also those that are marked as uncertain."),
               ("-f file", "Take the scale from the given file instead of the one that was installed with the program."),
               ("-o", "Write the offset of each figure in front of it. The first is zero.")]
    source = ['.TH TIDES 1 "1 May 2023" "Easton" "Harbour tools"', ".SH NAME", "tides \\- print the levels of the upper basin", ".SH DESCRIPTION",
              troff(PROSE[1]), ".SH OPTIONS"]
    flow = ["NAME", "tides - print the levels of the upper basin", "DESCRIPTION", PROSE[1], "OPTIONS"]
    for flag, text in options:
        source += [".TP", ".B " + flag.replace("-", "\\-"), text]
        flow.append(f"{flag} {text}")
    source += [".SH EXAMPLES", ".nf", ".ft CW", "tides \\-a \\-f brass.txt 1921", "tides 1957 | sort \\-n | head", ".ft P", ".fi", ".SH HISTORY", troff(PROSE[5])]
    flow += ["EXAMPLES", "tides -a -f brass.txt 1921", "tides 1957 | sort -n | head", "HISTORY", expected(PROSE[5])]
    groff("ghostscript-manual", "\n".join(source) + "\n", "-man", device="ps")
    # On a single page a header cannot be told from the text.
    flow = ["TIDES(1) Harbour tools TIDES(1)", *(text.replace("-", "−") if "-" in text and text != PROSE[5] else text for text in flow), "Easton 1 May 2023 1"]
    expect("ghostscript-manual", "ghostscript", False, flow)


if __name__ == "__main__":
    pathlib.Path(OUT).mkdir(parents=True, exist_ok=True)
    paper()
    contract()
    tables()
    manual()

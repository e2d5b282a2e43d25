#!/usr/bin/env python3
"""PDFs by producers that are used for scoring only, never while the reader is tuned: Typst, fpdf2, WeasyPrint.

Needs typst, fpdf2 and weasyprint (PyPI), poppler-utils, DejaVu fonts.
"""

import datetime
import os
import subprocess

os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

import typst
import weasyprint
from fpdf import FPDF

from pdf_texts import CLAUSES, DUTIES, GOODS_HEADER, OUT, PROSE, STATIONS, cells, expect, goods


def typst_paper():
    sections = [("Introduction", [2, 3, 1]), ("Model", [4, 5]), ("People", [6, 7, 8]), ("Conclusion", [9, 10])]
    source = ('#set page(paper: "a4", columns: 2, numbering: "1", header: align(right)[Coastal notes])\n#set par(justify: true, first-line-indent: 1em)\n'
              '#set text(size: 10pt, hyphenate: true, lang: "en")\n#set heading(numbering: "1.1")\n'
              '#place(top, scope: "parent", float: true)[#align(center)[#text(17pt, weight: "bold")[Records of a small harbour]]]\n')
    flow = ["Records of a small harbour"]
    for number, (title, indices) in enumerate(sections, 1):
        source += f"= {title}\n"
        flow.append(f"{number} {title}")
        for index in indices:
            source += PROSE[index] + "\n\n"
            flow.append(PROSE[index])
        if number == 2:
            source += "#table(columns: 4, " + ", ".join(f"[{cell}]" for row in STATIONS for cell in row) + ")\n"
            flow += cells(STATIONS)
    path = OUT / "typst-two-columns.pdf"
    typst.compile(source.encode(), output=str(path))
    expect("typst-two-columns", "typst", True, [text.replace("'", "’") for text in flow], [STATIONS], [True])


def typst_contract():
    source = '#set page(paper: "a4", numbering: "1 / 1")\n#set text(size: 12pt)\n#set heading(numbering: "1.")\n#align(center)[#text(18pt)[*Lease*]]\n'
    flow = ["Lease"]
    for number, (title, texts) in enumerate(CLAUSES, 1):
        source += f"= {title}\n"
        flow.append(f"{number}. {title}")
        for index, text in enumerate(texts):
            mark = "#footnote[As agreed between the parties on 2 March 2024.]" if number == 3 and index == 0 else ""
            source += f"+ {text}{mark}\n"
            flow.append(f"{index + 1}. {text}" + ("1" if mark else ""))
        if number == 4:
            flow.append("1 As agreed between the parties on 2 March 2024.")
    typst.compile(source.encode(), output=str(OUT / "typst-contract.pdf"))
    expect("typst-contract", "typst", True, [text.replace("'", "’") for text in flow])


class Report(FPDF):
    def header(self):
        self.set_font("Helvetica", size=8)
        self.cell(0, 6, "Stock of the harbour stores", align="R", new_x="LMARGIN", new_y="NEXT")

    def footer(self):
        self.set_y(-15)
        self.set_font("Helvetica", size=8)
        self.cell(0, 6, f"{self.page_no()}", align="C")


def fpdf_report():
    pdf = Report()
    pdf.set_creation_date(datetime.datetime(2023, 11, 14, tzinfo=datetime.timezone.utc))
    pdf.add_page()
    flow = []

    def heading(text):
        pdf.ln(4)
        pdf.set_font("Helvetica", "B", 14)
        pdf.multi_cell(0, 8, text, new_x="LMARGIN", new_y="NEXT")
        flow.append(text)

    def body(text):
        pdf.set_font("Times", size=11)
        pdf.multi_cell(0, 5.5, text, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2)
        flow.append(text)

    heading("Stock and duties")
    body(PROSE[0])
    body(PROSE[7])
    stock = [GOODS_HEADER, *goods(50, 2)]
    for rows, lines in ((DUTIES, "ALL"), (STATIONS, "NONE"), (stock, "ALL")):
        pdf.set_font("Times", size=10)
        with pdf.table(borders_layout=lines) as table:
            for row in rows:
                line = table.row()
                for cell in row:
                    line.cell(cell)
        flow += cells(rows)
        pdf.ln(4)
        body(PROSE[8 + len(flow) % 3])
    heading("Remarks")
    body(PROSE[11])
    pdf.output(str(OUT / "fpdf2-report.pdf"))
    expect("fpdf2-report", "fpdf2", True, flow, [DUTIES, STATIONS, stock], [True, False, True])


def weasyprint_article():
    style = ("@page{size:A4;margin:22mm;@top-center{content:'Harbour review';font-size:8pt}@bottom-center{content:counter(page)}}"
             "body{font:10pt/1.3 'DejaVu Serif'} main{columns:2;column-gap:9mm;text-align:justify;hyphens:auto} h1{font-size:19pt;text-align:center} h2{font-size:12pt}")
    sections = [("Records", [0, 1, 2]), ("Doubts", [3, 4, 5]), ("Effects", [6, 7, 8])]
    body, flow = "<h1>What the tide left behind</h1><main>", ["What the tide left behind"]
    for title, indices in sections:
        body += f"<h2>{title}</h2>" + "".join(f"<p>{PROSE[index]}</p>" for index in indices)
        flow += [title, *(PROSE[index] for index in indices)]
    weasyprint.HTML(string=f"<html lang=en><style>{style}</style>{body}</main></html>").write_pdf(OUT / "weasyprint-two-columns.pdf")
    expect("weasyprint-two-columns", "weasyprint", True, flow)


def weasyprint_report():
    stock = [GOODS_HEADER, *goods(45, 9)]
    style = ("@page{size:A4;margin:24mm;@bottom-right{content:'Page ' counter(page) ' of ' counter(pages)}} body{font:11pt/1.4 'DejaVu Sans'}"
             "table{border-collapse:collapse} .r td,.r th{border:1px solid #000;padding:3px 8px;text-align:left} .p td,.p th{padding:2px 14px;text-align:left}")

    def table(rows, kind):
        head = "<thead><tr>" + "".join(f"<th>{cell}</th>" for cell in rows[0]) + "</tr></thead>"
        return f"<table class={kind}>{head}" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:]) + "</table>"

    items = ["Read the scale.", "Write the level into the log.", "Close the gates before the water falls below the mark that was painted in 1921."]
    body = (f"<h1>Stores</h1><p>{PROSE[10]}</p><ul>" + "".join(f"<li>{item}</li>" for item in items) + f"</ul><h2>Stations</h2>{table(STATIONS, 'p')}<p>{PROSE[4]}</p>"
            f"{table(DUTIES, 'r')}<p>{PROSE[5]}</p>{table(stock, 'r')}<p>{PROSE[6]}</p>")
    flow = ["Stores", PROSE[10], *("• " + item for item in items), "Stations", *cells(STATIONS), PROSE[4], *cells(DUTIES), PROSE[5], *cells(stock), PROSE[6]]
    weasyprint.HTML(string=f"<html lang=en><style>{style}</style>{body}</html>").write_pdf(OUT / "weasyprint-report.pdf")
    expect("weasyprint-report", "weasyprint", True, flow, [STATIONS, DUTIES, stock], [False, True, True])


if __name__ == "__main__":
    typst_paper()
    typst_contract()
    fpdf_report()
    weasyprint_article()
    weasyprint_report()

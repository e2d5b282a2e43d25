#!/usr/bin/env python3
"""PDFs by Cairo and Pango: justified text with ligatures, an invoice, a page turned by a quarter, Arabic.

Needs pycairo and PyGObject with Pango (Debian: python3-cairo python3-gi python3-gi-cairo gir1.2-pango-1.0), qpdf, poppler-utils, Noto and
DejaVu fonts.
"""

import os
import subprocess

os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

import cairo
import gi

gi.require_version("Pango", "1.0")
gi.require_version("PangoCairo", "1.0")
from gi.repository import Pango, PangoCairo

from pdf_texts import CLAUSES, OUT, PROSE, cells, expect, goods


class Page:
    def __init__(self, name, width=595, height=842):
        self.surface = cairo.PDFSurface(str(OUT / f"{name}.pdf"), width, height)
        self.surface.set_metadata(cairo.PDFMetadata.CREATE_DATE, "2023-11-14T00:00:00Z")
        self.context = cairo.Context(self.surface)

    def text(self, text, x, y, width=None, font="DejaVu Serif 10", justify=False, right=False):
        layout = PangoCairo.create_layout(self.context)
        layout.set_font_description(Pango.FontDescription(font))
        if width:
            layout.set_width(int(width * Pango.SCALE))
        layout.set_justify(justify)
        layout.set_text(text, -1)
        if right:
            x -= layout.get_pixel_size()[0]
        self.context.move_to(x, y)
        PangoCairo.show_layout(self.context, layout)
        return layout.get_pixel_size()[1]

    def done(self):
        self.surface.finish()


def report():
    page = Page("cairo-report")
    page.text("Efficient flood defences for a difficult coast", 70, 60, 455, "DejaVu Serif Bold 17")
    y, flow, on = 115, ["Efficient flood defences for a difficult coast"], 1
    for index, text in enumerate([*PROSE, *PROSE[:6]]):
        if y > 660:
            page.text(f"Flood defences, page {on}", 70, 800, font="DejaVu Sans 8")
            page.surface.show_page()
            y, on = 60, on + 1
        if index % 4 == 0:
            title = f"{index // 4 + 1} " + ["The office", "Fluctuation", "Offices and files", "Final affairs", "Afterword"][index // 4]
            y += 10 + page.text(title, 70, y + 4, font="DejaVu Sans Bold 12")
            flow.append(title)
        y += 8 + page.text(text, 70, y, 455, "DejaVu Serif 10", justify=True)
        flow.append(text)
    page.text(f"Flood defences, page {on}", 70, 800, font="DejaVu Sans 8")
    page.done()
    expect("cairo-report", "cairo", False, flow)


def invoice():
    page = Page("cairo-invoice")
    page.text("Harbour Supplies", 70, 60, font="DejaVu Sans Bold 16")
    page.text("Invoice number 2024-117", 70, 95)
    rows = [["Article", "Quantity", "Price", "Amount"], *goods(9, 5)]
    right = [None, 330, 410, 510]
    y = 140
    for number, row in enumerate(rows):
        font = "DejaVu Sans Bold 9" if number == 0 else "DejaVu Sans 9"
        for column, cell in enumerate(row):
            page.text(cell, 70 if column == 0 else right[column], y, font=font, right=column > 0)
        y += 18
    boxed = [["Tax", "Net", "Gross"], ["7 %", "120.00", "128.40"], ["19 %", "300.00", "357.00"]]
    page.text(PROSE[9], 70, y + 20, 455)
    top, edges = y + 120, [70, 190, 310, 430]
    page.context.set_line_width(0.6)
    for number in range(4):
        page.context.move_to(edges[0], top + 20 * number)
        page.context.line_to(edges[-1], top + 20 * number)
        page.context.move_to(edges[number], top)
        page.context.line_to(edges[number], top + 60)
    page.context.stroke()
    for number, row in enumerate(boxed):
        for column, cell in enumerate(row):
            page.text(cell, edges[column] + 5, top + 20 * number + 3, font="DejaVu Sans 9")
    page.text(PROSE[10], 70, top + 80, 455)
    page.done()
    flow = ["Harbour Supplies", "Invoice number 2024-117", *cells(rows), PROSE[9], *cells(boxed), PROSE[10]]
    expect("cairo-invoice", "cairo", False, flow, [rows, boxed], [False, True])


def turned():
    """Text drawn from bottom to top, on a page that is shown turned by a quarter; then one that is drawn upright and shown on its side."""
    page = Page("cairo-turned")
    page.context.translate(0, 842)
    page.context.rotate(-1.5707963267948966)
    y = 60
    for text in PROSE[:5]:
        y += 12 + page.text(text, 60, y, 720, "DejaVu Serif 11")
    page.surface.show_page()
    page.context.identity_matrix()
    y = 60
    for text in PROSE[5:8]:
        y += 12 + page.text(text, 60, y, 470, "DejaVu Serif 11")
    page.done()
    subprocess.run(["qpdf", "--replace-input", "--deterministic-id", "--rotate=+90:1", "--rotate=+270:2", str(OUT / "cairo-turned.pdf")], check=True)
    expect("cairo-turned", "cairo", False, PROSE[:8])


def arabic():
    texts = ["سجلات الميناء", "بني ميناء البلدة في شتاء عام 1843 عندما ضاق الخليج الصغير بأسطول الصيد، ونقل الحجر على القوارب من المحاجر البعيدة.",
             "تدخل المياه الحوض الأعلى من بوابتين تفتحان أربعين دقيقة قبل كل مد، ويقرأ الحارس المستوى ويكتبه في السجل اليومي."]
    page = Page("cairo-arabic", 420, 595)
    y = 40
    for index, text in enumerate(texts):
        y += 14 + page.text(text, 40, y, 340, "Noto Naskh Arabic Bold 18" if index == 0 else "Noto Naskh Arabic 13")
    page.done()
    expect("cairo-arabic", "cairo", False, texts, quotes={"places": [{"quote": "ويقرأ الحارس المستوى", "page": 1}]})


def clauses():
    """Two columns set by hand, with headings in the text's own size, one column behind the other."""
    page = Page("cairo-two-columns")
    page.text("General conditions", 70, 50, font="DejaVu Sans Bold 15")
    flow, column, y = ["General conditions"], 0, 95
    for number, (title, texts) in enumerate(CLAUSES, 1):
        for index, text in enumerate([f"{number}. {title}", *texts]):
            if y > 720:
                column += 1
                y = 95 if column < 2 else 60
                if column % 2 == 0:
                    page.surface.show_page()
            x = 60 if column % 2 == 0 else 310
            font = "DejaVu Serif Bold 9" if index == 0 else "DejaVu Serif 9"
            y += 7 + page.text(text, x, y, 225, font, justify=index > 0)
            flow.append(text)
    page.done()
    expect("cairo-two-columns", "cairo", False, flow)


if __name__ == "__main__":
    report()
    invoice()
    turned()
    arabic()
    clauses()

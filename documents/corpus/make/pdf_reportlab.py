#!/usr/bin/env python3
"""PDFs by reportlab: a report with an outline, columns, East Asian fonts that are not in the file, an encrypted file, scans, crop boxes.

Needs reportlab and pillow (PyPI), qpdf, poppler-utils.
"""

import io
import subprocess

from PIL import Image, ImageDraw
from reportlab import rl_config

rl_config.invariant = 1

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from pdf_texts import CLAUSES, GOODS_HEADER, OUT, PROSE, STATIONS, cells, expect, goods

STYLES = getSampleStyleSheet()
BODY = ParagraphStyle("body", parent=STYLES["BodyText"], fontName="Times-Roman", fontSize=10.5, leading=13)
RULED = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)])
PLAIN = TableStyle([("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black), ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
                    ("ALIGN", (1, 0), (-1, -1), "RIGHT")])


def report():
    stock = [GOODS_HEADER, *goods(64, 7)]

    def decorate(canvas, document):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 805, "Annual report of the harbour authority")
        canvas.drawRightString(523, 36, f"Page {document.page} of 5")

    story, flow = [Paragraph("Annual report", STYLES["Title"])], ["Annual report"]
    sections = [("1 Works", [0, 1, 2, 3]), ("2 Traffic", [4, 5, 6, 7]), ("2.1 Stock", [8])]
    for title, indices in sections:
        story.append(Paragraph(title, STYLES["Heading2" if "." in title else "Heading1"]))
        flow.append(title)
        for index in indices:
            story.append(Paragraph(PROSE[index], BODY))
            flow.append(PROSE[index])
        if title == "2 Traffic":
            story += [Spacer(1, 8), Table(STATIONS, style=PLAIN), Spacer(1, 8)]
            flow += cells(STATIONS)
    story += [Table(stock, style=RULED, repeatRows=1), Paragraph("3 Outlook", STYLES["Heading1"]), *(Paragraph(PROSE[index], BODY) for index in (9, 10, 11))]
    flow += [*cells(stock), "3 Outlook", PROSE[9], PROSE[10], PROSE[11]]
    document = SimpleDocTemplate(str(OUT / "reportlab-report.pdf"), pagesize=A4, title="Annual report", topMargin=72, bottomMargin=72)
    document.build(story, onFirstPage=decorate, onLaterPages=decorate)
    expect("reportlab-report", "reportlab", False, flow, [STATIONS, stock], [False, True], kinds={"headings": ["1 Works", "2 Traffic", "2.1 Stock", "3 Outlook"]})


def columns():
    style = ParagraphStyle("two", parent=BODY, firstLineIndent=12, alignment=4, fontSize=9.5, leading=11.5, spaceBefore=0, spaceAfter=0)
    document = BaseDocTemplate(str(OUT / "reportlab-two-columns.pdf"), pagesize=A4)
    frames = [Frame(60, 60, 230, 720, id="left"), Frame(305, 60, 230, 720, id="right")]
    document.addPageTemplates([PageTemplate(frames=frames)])
    flow, story = [], []
    for index, text in enumerate(PROSE + PROSE[3:9]):
        if index % 6 == 0:
            title = ["Harbour", "Committee", "Copper"][index // 6]
            story.append(Paragraph(title, STYLES["Heading2"]))
            flow.append(title)
        story.append(Paragraph(text, style))
        flow.append(text)
    document.build(story)
    expect("reportlab-two-columns", "reportlab", False, flow)


def east_asian():
    chinese = "本合同自二〇二四年四月一日起生效，租期三年，期满自动终止，双方无需另行通知。租金为每月一千四百五十元，承租人应于每月三日前支付。"
    japanese = "この町の港は一八四三年の冬に造られた。外壁の花崗岩は艀で運ばれ、三隻に一隻は嵐で失われたという。"
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    style = lambda font: ParagraphStyle("cjk", fontName=font, fontSize=12, leading=18, wordWrap="CJK", spaceAfter=10)
    document = SimpleDocTemplate(str(OUT / "reportlab-chinese-japanese.pdf"), pagesize=A4)
    document.build([Paragraph(chinese, style("STSong-Light")), Paragraph(japanese, style("HeiseiMin-W3"))])
    expect("reportlab-chinese-japanese", "reportlab", False, [chinese, japanese], quotes={"places": [{"quote": "租期三年", "page": 1}, {"quote": "外壁の花崗岩", "page": 1}]})


def encrypted():
    story, flow = [], []
    for title, texts in CLAUSES[:4]:
        story += [Paragraph(title, STYLES["Heading2"]), *(Paragraph(text, BODY) for text in texts)]
        flow += [title, *texts]
    plain = io.BytesIO()
    SimpleDocTemplate(plain, pagesize=A4).build(story)
    source, path = OUT / "plain.tmp", OUT / "reportlab-encrypted.pdf"
    source.write_bytes(plain.getvalue())
    # AES-256 needs random bytes; this file differs each time it is made.
    subprocess.run(["qpdf", "--encrypt", "harbour 1843", "owner", "256", "--", str(source), str(path)], check=True)
    source.unlink()
    expect("reportlab-encrypted", "reportlab", False, flow, password="harbour 1843")


def picture_of(lines):
    image = Image.new("L", (620, 320), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((20, 20 + 30 * number), line, fill=0)
    return ImageReader(image)


def scans():
    lines = ["The keeper reads the level on a brass scale,", "writes it into the daily log, and closes", "the gates before the water falls."]
    canvas = Canvas(str(OUT / "reportlab-scan.pdf"), pagesize=A4)
    for _ in range(2):
        canvas.drawImage(picture_of(lines), 60, 400, 480, 250)
        canvas.showPage()
    canvas.save()
    expect("reportlab-scan", "reportlab", False, [], quotes=[], ends="2 pages without a text layer")
    canvas = Canvas(str(OUT / "reportlab-text-layer.pdf"), pagesize=A4)
    canvas.drawImage(picture_of(lines), 60, 400, 480, 250)
    text = canvas.beginText(75, 625)
    text.setTextRenderMode(3)
    text.setFont("Helvetica", 14)
    text.setLeading(23)
    for line in lines:
        text.textLine(line)
    canvas.drawText(text)
    canvas.showPage()
    canvas.drawImage(picture_of(["no text layer here"]), 60, 400, 480, 250)
    canvas.save()
    expect("reportlab-text-layer", "reportlab", False, lines, quotes={"places": [{"quote": "writes it into the daily log", "page": 1}]},
           warnings=["page 2 has no text layer"])


def cropped():
    """Text outside of the crop box is not shown; a watermark runs across."""
    canvas = Canvas(str(OUT / "reportlab-cropped.pdf"), pagesize=A4, pageCompression=1)
    flow = []
    for page in range(2):
        canvas.setCropBox((40, 40, 555, 760))
        canvas.setFont("Helvetica", 9)
        canvas.drawString(50, 790, "Printer's remark that nobody sees")
        canvas.saveState()
        canvas.setFillGray(0.85)
        canvas.setFont("Helvetica-Bold", 70)
        canvas.translate(160, 250)
        canvas.rotate(45)
        canvas.drawString(0, 0, "DRAFT COPY")
        canvas.restoreState()
        frame = Frame(60, 60, 470, 680)
        texts = PROSE[6 * page:6 * page + 6]
        frame.addFromList([Paragraph(text, BODY) for text in texts], canvas)
        flow += texts
        canvas.showPage()
    canvas.save()
    expect("reportlab-cropped", "reportlab", False, flow)


if __name__ == "__main__":
    report()
    columns()
    east_asian()
    encrypted()
    scans()
    cropped()

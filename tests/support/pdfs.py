"""Small PDFs for tests, written with fpdf2 at run time."""

from pathlib import Path

from fpdf import FPDF


def write_pdf(path: Path, *pages: str, password: str = "") -> Path:
    """A PDF with one page for each text; an empty text gives a page with a drawing and no text (a scan)."""
    pdf = FPDF()
    pdf.set_font("Helvetica", size=11)
    for text in pages:
        pdf.add_page()
        if text:
            pdf.multi_cell(0, 6, text)
        else:
            pdf.rect(20, 20, 100, 100, style="F")
    if password:
        pdf.set_encryption(owner_password="owner", user_password=password)
    pdf.output(str(path))
    return path

// Writes small PDFs for tests: one text a page, in a font that every reader has.

const escaped = (text) => text.replace(/[\\()]/g, "\\$&");

/** The bytes of a PDF with these texts as pages; an empty one is a page without text. `encrypt` asks for a password. */
export function pdfOf(texts, { encrypt = false } = {}) {
  const objects = [];
  const add = (body) => objects.push(body);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  const kids = texts.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  add(`<< /Type /Pages /Count ${texts.length} /Kids [${kids}] >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  texts.forEach((text, index) => {
    const lines = text.split("\n").map((line) => `(${escaped(line)}) Tj T*`);
    const content = text === "" ? "" : `BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(" ")} ET`;
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`);
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  const key = "00".repeat(32);
  if (encrypt) add(`<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`);
  let file = "%PDF-1.4\n";
  const places = objects.map((body, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return place;
  });
  const start = file.length;
  const entries = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const more = encrypt ? ` /Encrypt ${objects.length} 0 R /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]` : "";
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${more} >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}

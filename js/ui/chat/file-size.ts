// Sizes of files in words.

const unit = (name: string, unitDisplay: "long" | "short" = "short") =>
  new Intl.NumberFormat("en", { style: "unit", unit: name, unitDisplay, maximumSignificantDigits: 3 });

export function sizeText(bytes: number): string {
  if (bytes < 1e3) return unit("byte", "long").format(bytes);
  return bytes < 1e6 ? unit("kilobyte").format(bytes / 1e3) : unit("megabyte").format(bytes / 1e6);
}

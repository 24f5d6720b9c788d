// Sizes of files in words.

const bytes = new Intl.NumberFormat("en", { style: "unit", unit: "byte", unitDisplay: "long" });
const kilobytes = new Intl.NumberFormat("en", { style: "unit", unit: "kilobyte", maximumSignificantDigits: 2 });
const megabytes = new Intl.NumberFormat("en", { style: "unit", unit: "megabyte", maximumSignificantDigits: 2 });
const gigabytes = new Intl.NumberFormat("en", { style: "unit", unit: "gigabyte", maximumSignificantDigits: 2 });

export function sizeText(size: number): string {
  if (size < 1e3) return bytes.format(size);
  if (size < 1e6) return kilobytes.format(size / 1e3);
  return size < 1e9 ? megabytes.format(size / 1e6) : gigabytes.format(size / 1e9);
}

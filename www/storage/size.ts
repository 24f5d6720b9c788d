// Sizes of files in words.

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

export function sizeText(size: number): string {
  const unit = size < 1e3 ? 0 : size < 1e6 ? 1 : size < 1e9 ? 2 : 3;
  const format = {
    style: "unit",
    unit: units[unit]!,
    unitDisplay: unit === 0 ? "long" : "short",
    maximumSignificantDigits: unit === 0 ? 3 : 2,
  } as const;
  return new Intl.NumberFormat("en", format).format(size / 1e3 ** unit);
}

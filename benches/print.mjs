// Prints the results of a bench beside their goals.

export function print(kind, { title, lines }) {
  console.log(`\n${title}, ${kind}`);
  const names = [...new Set(lines.flatMap((line) => Object.keys(line.columns)))];
  const rows = [["", ...names, "ratio", "goal"]];
  for (const { label, columns, ratio, goal } of lines) {
    const wanted = goal?.[kind];
    const verdict = wanted === undefined ? "" : `≤ ${wanted} ${ratio <= wanted ? "✔" : "✖"}`;
    rows.push([label, ...names.map((name) => columns[name] ?? ""), ratio === undefined ? "" : ratio.toFixed(2), verdict]);
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) console.log(`  ${row.map((cell, n) => (n ? cell.padStart(widths[n]) : cell.padEnd(widths[n]))).join("  ")}`);
}

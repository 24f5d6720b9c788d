// Runs benches in this Node and prints their results; started by run.mjs.
//   node benches/in-node.mjs <rounds, or an empty text> <name>...
import { print } from "./print.mjs";

const [rounds, ...names] = process.argv.slice(2);
for (const name of names) {
  const { title, run } = await import(`./${name}.node.mjs`);
  const lines = [];
  for await (const line of run(rounds ? { rounds: Number(rounds) } : {})) lines.push(line);
  print("node", { title: `${title}, Node ${process.versions.node}`, lines });
}

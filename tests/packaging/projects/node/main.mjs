import { converse } from "./converse.js";

console.log(JSON.stringify({ answer: await converse(process.argv[2]) }));

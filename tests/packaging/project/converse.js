// What every project of the packaging test does with the installed package. Written as a user would write it.
import { load, version } from "threadkeep";

export async function converse() {
  await load();
  return version();
}

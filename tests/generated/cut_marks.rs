//! The sentences on answers that were cut off: `src/agent/partial.rs` in TypeScript.

use crate::place::typescript_file;
use threadkeep::agent::CutOff;

#[test]
fn typescript_has_the_sentences_on_answers_that_were_cut_off() {
    let mut text = String::from(
        "import type { CutReason } from \"./types.js\";\n\n\
         /** The sentence that an answer that was cut off ends with for the model, and why it was. */\n\
         export const cutMarks: ReadonlyMap<string, CutReason> = new Map([\n",
    );
    for why in CutOff::ALL {
        text += &format!("  [{:?}, \"{}\"],\n", why.sentence(), why.reason());
    }
    text += "]);\n";
    typescript_file("js/ui/thread/cut-marks.ts", "src/agent/partial.rs", &text);
}

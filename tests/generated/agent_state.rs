//! The fields of `agent_state`: the table of `src/format/agent_state.rs` in TypeScript.

use crate::place::{documentation, typescript_file};
use threadkeep::format::agent_state::DECLARATIONS;

#[test]
fn typescript_has_every_field_of_agent_state() {
    let mut text = String::from(
        "import type { JSONValue } from \"../types.js\";\nimport type { SecurityRisk } from \"./names.js\";\n\n\
         /** The fields of `agent_state` that the library uses itself. */\n\
         export interface OwnAgentState {\n",
    );
    for row in DECLARATIONS {
        text += &format!("{}  {}?: {};\n", documentation(row.doc, "  "), row.name, row.typescript);
    }
    text += "}\n\n/** `agent_state`: the fields of the library, and any others, which are the host's. */\n";
    text +=
        "export interface AgentState extends OwnAgentState {\n  [name: string]: JSONValue | undefined;\n}\n";
    typescript_file("js/events/generated/agent-state.ts", "src/format/agent_state.rs", &text);
}

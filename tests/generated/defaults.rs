//! Defaults that the comments of TypeScript state: those of the core.

use std::{fs, path::Path};
use threadkeep::conversation::stuck_detector::StuckDetectionThresholds;

#[test]
fn typescript_states_the_default_thresholds_of_stuck_detection() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/agent/limits.ts");
    let text = fs::read_to_string(file).unwrap();
    let defaults = StuckDetectionThresholds::default();
    for (option, default) in [
        ("actionObservation", defaults.action_observation),
        ("actionError", defaults.action_error),
        ("monologue", defaults.monologue),
        ("alternatingPattern", defaults.alternating_pattern),
    ] {
        let stated = format!("Default {default}. */\n  {option}?: number | undefined;\n");
        assert!(
            text.contains(&stated),
            "js/agent/limits.ts should state that the default of {option} is {default}"
        );
    }
}

//! Files with one JSON object a line, as programs print them.

use super::timeline::Timeline;
use crate::json::{Object, is_json};

/// The objects of the lines of a text; `None` if it has none, or if it is one object that breaks off. Other lines are what the program
/// has printed beside them.
pub fn lines<'a>(timeline: &mut Timeline<'_>, text: &'a str) -> Option<Vec<&'a str>> {
    let mut objects = Vec::new();
    let (mut others, mut broken) = (0, 0);
    let mut is_broken = false;
    for line in
        text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).filter(|line| !line.is_empty())
    {
        is_broken = false;
        if Object::parse(line).is_some() {
            objects.push(line);
        } else if line.starts_with('{') && !is_json(line) {
            broken += 1;
            is_broken = true;
        } else {
            others += 1;
        }
    }
    // A program that dies leaves the beginning of its last line; anything else that is broken is no such file.
    if objects.is_empty() || broken > usize::from(is_broken) {
        return None;
    }
    timeline.leave_out_many("lines that are no JSON objects", others);
    timeline.leave_out_many("a last line that breaks off", broken);
    Some(objects)
}

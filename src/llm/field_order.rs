//! Adds fields to objects of the SDK in the SDK's order.

use crate::json::RawObject;

/// Sets a field. An existing field keeps its position; a new one is inserted before the first field that comes after it in
/// `order`, the SDK's order of fields.
pub(super) fn set_in_order(object: &mut RawObject, order: &[&str], name: &str, json: &str) {
    if object.get(name).is_some() {
        object.set(name, json);
        return;
    }
    let rank = |name: &str| order.iter().position(|known| *known == name);
    let mut ordered = RawObject::default();
    let mut is_set = false;
    for (other, value) in object.iter() {
        // An unknown field has no rank, and nothing is inserted before it.
        if !is_set && rank(other) > rank(name) {
            ordered.set(name, json);
            is_set = true;
        }
        ordered.set(other, value);
    }
    ordered.set(name, json);
    *object = ordered;
}

//! Where a field goes that an object of the SDK's does not have yet.

use crate::json::RawObject;

/// Sets a field. One that is there keeps its place; a missing one goes in front of the first that comes after it in
/// `order`, which is the SDK's.
pub(super) fn set_in_order(object: &mut RawObject, order: &[&str], name: &str, json: &str) {
    if object.get(name).is_some() {
        object.set(name, json);
        return;
    }
    let place = |name: &str| order.iter().position(|known| *known == name);
    let mut ordered = RawObject::default();
    let mut is_set = false;
    for (other, value) in object.iter() {
        // An unknown field has no place, and nothing goes in front of it.
        if !is_set && place(other) > place(name) {
            ordered.set(name, json);
            is_set = true;
        }
        ordered.set(other, value);
    }
    ordered.set(name, json);
    *object = ordered;
}

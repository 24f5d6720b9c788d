//! Ids of items that the provider accepts, made from those of any provider.
//!
//! The same history always gets the same ids, because the provider's cache depends on them.

use std::collections::HashSet;

/// The provider's limit for the length of an id.
const MAX_LENGTH: usize = 64;

/// The ids of one request's items.
#[derive(Default)]
pub(super) struct CallIds {
    /// The ids that are sent already.
    taken: HashSet<String>,
    /// Calls without a result: the original id, and the id that is sent.
    open: Vec<(String, String)>,
}

impl CallIds {
    /// The id that is sent for a call. Servers that count their calls from 0 in each answer repeat ids, and two results
    /// with one id are refused.
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let mut sent = shortened(id);
        let mut times = 1;
        while !self.taken.insert(sent.clone()) {
            times += 1;
            sent = shortened(&format!("{id}_{times}"));
        }
        self.open.push((id.to_owned(), sent.clone()));
        sent
    }

    /// The id that is sent for the result of a call; `None` if there is no such call.
    pub(super) fn of_result(&mut self, id: &str) -> Option<String> {
        let position = self.open.iter().position(|(original, _)| original == id)?;
        Some(self.open.remove(position).1)
    }

    /// The id of an item, if the provider accepts it: it begins with `prefix` and is unique.
    pub(super) fn of_item<'a>(&mut self, id: &'a str, prefix: &str) -> Option<&'a str> {
        let is_valid = id.starts_with(prefix) && id.len() <= MAX_LENGTH;
        (is_valid && self.taken.insert(id.to_owned())).then_some(id)
    }

    /// Takes the id of an item that goes back to the server that gave it, whatever it is: xAI's are long, and two items of an
    /// answer may have one.
    pub(super) fn take(&mut self, id: &str) {
        self.taken.insert(id.to_owned());
    }
}

/// The id; if it is too long, its end is replaced by a hash of the id.
fn shortened(id: &str) -> String {
    const START_LENGTH: usize = MAX_LENGTH - 17;
    if id.len() <= MAX_LENGTH {
        return id.to_owned();
    }
    // FNV-1a.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let end = (0..=START_LENGTH).rev().find(|end| id.is_char_boundary(*end)).unwrap_or(0);
    format!("{}_{hash:016x}", id.split_at(end).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_with_one_id_get_two_ids() {
        let mut ids = CallIds::default();
        assert_eq!(ids.of_call("call_0"), "call_0");
        assert_eq!(ids.of_result("call_0").as_deref(), Some("call_0"));
        assert_eq!(ids.of_call("call_0"), "call_0_2");
        assert_eq!(ids.of_call("call_0_2"), "call_0_2_2");
        assert_eq!(ids.of_result("call_0_2").as_deref(), Some("call_0_2_2"));
        assert_eq!(ids.of_result("call_0").as_deref(), Some("call_0_2"));
        assert_eq!(ids.of_result("call_0"), None);
    }

    #[test]
    fn a_shortened_id_is_stable_and_distinct() {
        let long = |end: &str| CallIds::default().of_call(&format!("{}{end}", "é".repeat(40)));
        assert_eq!((long("a").len(), long("a")), (63, long("a")));
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn an_item_with_an_id_of_another_provider_has_no_id() {
        let mut ids = CallIds::default();
        assert_eq!(ids.of_item("fc_1", "fc"), Some("fc_1"));
        assert_eq!(ids.of_item("fc_1", "fc"), None);
        assert_eq!(ids.of_item("ft_1", "fc"), None);
        assert_eq!(ids.of_item(&"fc".repeat(33), "fc"), None);
    }
}

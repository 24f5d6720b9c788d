//! Ids that the provider takes, whoever made them.
//!
//! The same history always gets the same ids, or the provider would not find its cache again.

use crate::names::Names;

/// No id may be longer.
const LONGEST: usize = 64;

/// The ids of one request's items.
#[derive(Default)]
pub(super) struct CallIds {
    /// What is sent, and how often a call's own id came.
    taken: Names,
    /// Calls that wait for their result: their own id, and what is sent for it.
    open: Vec<(String, String)>,
}

impl CallIds {
    /// The id that is sent for a call. Servers that count their calls from 0 in each answer use one id again and
    /// again, and two results with one id are refused.
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let mut sent = shortened(id);
        let mut times = 1;
        while !self.taken.add(&sent, times) {
            times += 1;
            sent = shortened(&format!("{id}_{times}"));
        }
        self.open.push((id.to_owned(), sent.clone()));
        sent
    }

    /// The id that is sent for the result of a call; `None` where nobody called.
    pub(super) fn of_result(&mut self, id: &str) -> Option<String> {
        let place = self.open.iter().position(|(own, _)| own == id)?;
        Some(self.open.remove(place).1)
    }

    /// The item's id, if the provider takes it: it begins with `prefix` and stands nowhere else.
    pub(super) fn of_item<'a>(&mut self, id: &'a str, prefix: &str) -> Option<&'a str> {
        let is_known = id.starts_with(prefix) && id.len() <= LONGEST;
        (is_known && self.taken.add(id, 1)).then_some(id)
    }
}

/// The id, its end replaced by a number that stands for all of it where it is too long.
fn shortened(id: &str) -> String {
    const KEPT: usize = LONGEST - 17;
    if id.len() <= LONGEST {
        return id.to_owned();
    }
    // FNV-1a.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let end = (0..=KEPT).rev().find(|end| id.is_char_boundary(*end)).unwrap_or(0);
    format!("{}_{hash:016x}", id.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_for_two_calls_is_two_ids() {
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
    fn a_long_id_is_short_and_still_its_own() {
        let long = |end: &str| CallIds::default().of_call(&format!("{}{end}", "é".repeat(40)));
        assert_eq!((long("a").len(), long("a")), (63, long("a")));
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn an_item_that_the_provider_does_not_know_has_no_id() {
        let mut ids = CallIds::default();
        assert_eq!(ids.of_item("fc_1", "fc"), Some("fc_1"));
        assert_eq!(ids.of_item("fc_1", "fc"), None);
        assert_eq!(ids.of_item("ft_1", "fc"), None);
        assert_eq!(ids.of_item(&"fc".repeat(33), "fc"), None);
    }
}

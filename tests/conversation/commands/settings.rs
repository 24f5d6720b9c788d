//! What is set while other things go on: whoever does so last has his way.

use serde_json::Value;
use std::{cell::RefCell, collections::HashMap};

/// What was set, by name.
#[derive(Default)]
pub struct Settings(RefCell<HashMap<&'static str, Setting>>);

#[derive(Default)]
struct Setting {
    begun: u32,
    under_way: u32,
    /// The last value that was set, and by whom.
    value: Option<(u32, Value)>,
}

impl Settings {
    /// Somebody sets it. Returns who.
    pub fn begins(&self, name: &'static str) -> u32 {
        let mut settings = self.0.borrow_mut();
        let setting = settings.entry(name).or_default();
        setting.begun += 1;
        setting.under_way += 1;
        setting.begun
    }

    /// It is set to this, or it could not be set.
    pub fn ended(&self, name: &'static str, who: u32, value: Option<Value>, stored: &Value) {
        let mut settings = self.0.borrow_mut();
        let setting = settings.get_mut(name).unwrap();
        setting.under_way -= 1;
        if let Some(value) = value
            && setting.value.as_ref().is_none_or(|(last, _)| *last < who)
        {
            setting.value = Some((who, value));
        }
        if let (0, Some((_, value))) = (setting.under_way, &setting.value) {
            assert_eq!(stored, value, "{name} is not what was set last");
        }
    }

    /// Nobody hears any more what has become of it.
    pub fn page_died(&self) {
        self.0.borrow_mut().clear();
    }
}

//! Checks concurrent changes of settings: the last change wins.

use serde_json::Value;
use std::{cell::RefCell, collections::HashMap};

/// The settings by name.
#[derive(Default)]
pub struct Settings(RefCell<HashMap<&'static str, Setting>>);

#[derive(Default)]
struct Setting {
    begun: u32,
    under_way: u32,
    /// The last value that was set, with the number of its change.
    value: Option<(u32, Value)>,
}

impl Settings {
    /// Begins a change. Returns its number.
    pub fn begins(&self, name: &'static str) -> u32 {
        let mut settings = self.0.borrow_mut();
        let setting = settings.entry(name).or_default();
        setting.begun += 1;
        setting.under_way += 1;
        setting.begun
    }

    /// Ends a change, which has set this value or has failed.
    pub fn ended(&self, name: &'static str, change: u32, value: Option<Value>, stored: &Value) {
        let mut settings = self.0.borrow_mut();
        let setting = settings.get_mut(name).unwrap();
        setting.under_way -= 1;
        if let Some(value) = value
            && setting.value.as_ref().is_none_or(|(last, _)| *last < change)
        {
            setting.value = Some((change, value));
        }
        if let (0, Some((_, value))) = (setting.under_way, &setting.value) {
            assert_eq!(stored, value, "{name} is not what was set last");
        }
    }

    /// Forgets the changes of a dead page, whose outcome is unknown.
    pub fn page_died(&self) {
        self.0.borrow_mut().clear();
    }
}

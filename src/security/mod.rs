//! Security risks of calls, and the policies that decide which calls need the user's approval
//! (`security/confirmation_policy.py`, `security/analyzer.py`).
//!
//! Decides about single calls; `features/confirmation/mod.rs` decides about a batch.

mod guard;

pub use guard::Guard;

use crate::{
    event::SecurityRisk,
    json::{FromJson, Object, RawJson, ToJson, object, string_enum},
};
use futures_util::future::LocalBoxFuture;

/// The policy that decides which calls need the user's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationPolicy {
    /// Every call needs approval.
    AlwaysConfirm,
    /// No call needs approval.
    NeverConfirm,
    /// Calls with a risk of at least the threshold need approval.
    ConfirmRisky {
        /// Never `Unknown`.
        threshold: SecurityRisk,
        /// Whether calls with an unknown risk need approval.
        confirm_unknown: bool,
    },
}

impl ConfirmationPolicy {
    /// The policy that a base state has. One that this version cannot read may be one that asks about everything.
    pub fn stored(policy: Option<RawJson>) -> Self {
        policy.map_or(Self::NeverConfirm, |policy| policy.read().unwrap_or(Self::AlwaysConfirm))
    }

    /// Whether a call with this risk needs the user's approval.
    pub fn should_confirm(self, risk: SecurityRisk) -> bool {
        match self {
            Self::AlwaysConfirm => true,
            Self::NeverConfirm => false,
            Self::ConfirmRisky { confirm_unknown, .. } if risk == SecurityRisk::Unknown => confirm_unknown,
            Self::ConfirmRisky { threshold, .. } => risk >= threshold,
        }
    }
}

/// The form in which the SDK stores policies.
impl FromJson for ConfirmationPolicy {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        match fields.required("kind")? {
            PolicyKind::Always => Some(Self::AlwaysConfirm),
            PolicyKind::Never => Some(Self::NeverConfirm),
            PolicyKind::Risky => {
                let threshold = fields.defaulted("threshold", || SecurityRisk::High)?;
                let confirm_unknown = fields.defaulted("confirm_unknown", || true)?;
                (threshold != SecurityRisk::Unknown)
                    .then_some(Self::ConfirmRisky { threshold, confirm_unknown })
            }
        }
    }
}

impl ToJson for ConfirmationPolicy {
    fn write_json(&self, out: &mut String) {
        let policy = match self {
            Self::AlwaysConfirm => object! { "kind": PolicyKind::Always },
            Self::NeverConfirm => object! { "kind": PolicyKind::Never },
            Self::ConfirmRisky { threshold, confirm_unknown } => object! {
                "threshold": threshold,
                "confirm_unknown": confirm_unknown,
                "kind": PolicyKind::Risky,
            },
        };
        policy.write_json(out);
    }
}

#[derive(Clone, Copy)]
enum PolicyKind {
    Always,
    Never,
    Risky,
}

string_enum!(PolicyKind {
    Always = "AlwaysConfirm",
    Never = "NeverConfirm",
    Risky = "ConfirmRisky",
});

/// The analyzer that uses the model's own rating.
const LLM_SECURITY_ANALYZER: &str = "LLMSecurityAnalyzer";

/// The analyzer that gives the highest risk of several analyzers.
const ENSEMBLE_SECURITY_ANALYZER: &str = "EnsembleSecurityAnalyzer";

/// The SDK's analyzers that this library implements.
const ANALYZERS: &[&str] = &[
    LLM_SECURITY_ANALYZER,
    "PatternSecurityAnalyzer",
    "PolicyRailSecurityAnalyzer",
    ENSEMBLE_SECURITY_ANALYZER,
];

/// A security analyzer in the form in which the SDK stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAnalyzer(RawJson);

impl StoredAnalyzer {
    /// The analyzer in this JSON; `None` unless it is an object with a kind.
    pub fn of(json: RawJson) -> Option<Self> {
        json.field::<String>("kind").map(|_| Self(json))
    }

    /// The name of the SDK's class.
    pub fn kind(&self) -> String {
        self.0.field("kind").unwrap_or_default()
    }

    /// The JSON to store.
    pub fn as_json(&self) -> &RawJson {
        &self.0
    }

    /// Whether it uses the model's own rating, which is in the action event.
    pub fn is_the_model(&self) -> bool {
        self.kind() == LLM_SECURITY_ANALYZER
    }

    /// Whether this library implements it.
    pub fn is_known(&self) -> bool {
        ANALYZERS.contains(&self.kind().as_str())
    }
}

/// Runs the analyzers other than the model itself.
pub trait SecurityAnalyzer {
    /// The risk of the call in this `ActionEvent`; `None` if the analyzer failed.
    fn security_risk(&self, action: &str) -> LocalBoxFuture<'static, Option<SecurityRisk>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use SecurityRisk::{High, Low, Medium, Unknown};

    #[test]
    fn each_policy_asks_about_the_risks_that_the_sdk_asks_about() {
        let risky =
            |threshold, confirm_unknown| ConfirmationPolicy::ConfirmRisky { threshold, confirm_unknown };
        let asked =
            |policy: ConfirmationPolicy| [Unknown, Low, Medium, High].map(|risk| policy.should_confirm(risk));
        assert_eq!(asked(ConfirmationPolicy::AlwaysConfirm), [true; 4]);
        assert_eq!(asked(ConfirmationPolicy::NeverConfirm), [false; 4]);
        assert_eq!(asked(risky(High, true)), [true, false, false, true]);
        assert_eq!(asked(risky(Medium, true)), [true, false, true, true]);
        assert_eq!(asked(risky(Medium, false)), [false, false, true, true]);
        assert_eq!(asked(risky(Low, false)), [false, true, true, true]);
    }

    #[test]
    fn policies_are_read_and_written_as_the_sdk_does() {
        for json in [
            r#"{"kind":"AlwaysConfirm"}"#,
            r#"{"kind":"NeverConfirm"}"#,
            r#"{"threshold":"MEDIUM","confirm_unknown":false,"kind":"ConfirmRisky"}"#,
        ] {
            assert_eq!(ConfirmationPolicy::from_json(json).unwrap().to_json_text(), json);
        }
        assert_eq!(
            ConfirmationPolicy::from_json(r#"{"kind":"ConfirmRisky"}"#).unwrap().to_json_text(),
            r#"{"threshold":"HIGH","confirm_unknown":true,"kind":"ConfirmRisky"}"#
        );
        for json in [
            r#"{"kind":"Sometimes"}"#,
            "{}",
            r#"{"kind":"ConfirmRisky","threshold":"UNKNOWN"}"#,
            r#"{"kind":"ConfirmRisky","threshold":"low"}"#,
            r#"{"kind":"ConfirmRisky","confirm_unknown":"yes"}"#,
        ] {
            assert_eq!(ConfirmationPolicy::from_json(json), None, "{json}");
        }
    }
}

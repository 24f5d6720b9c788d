//! What an agent may do without being asked: how dangerous a call is, and when the user has to agree to it
//! (`security/confirmation_policy.py`, `security/analyzer.py`).
//!
//! Decides about one call at a time and knows no conversation; `conversation/confirmation.rs` decides for a batch.

mod guard;

pub use guard::Guard;

use crate::{
    event::SecurityRisk,
    json::{FromJson, Object, ObjectWriter, RawJson, ToJson, string_enum},
};
use futures_util::future::LocalBoxFuture;

/// When a call needs the user's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationPolicy {
    /// Each does.
    AlwaysConfirm,
    /// None does.
    NeverConfirm,
    /// Those do that are as dangerous as the threshold or more.
    ConfirmRisky {
        /// Never `Unknown`.
        threshold: SecurityRisk,
        /// Whether a call of which nobody knows how dangerous it is needs consent.
        confirm_unknown: bool,
    },
}

impl ConfirmationPolicy {
    /// Whether a call of this risk needs the user's consent.
    pub fn should_confirm(self, risk: SecurityRisk) -> bool {
        match self {
            Self::AlwaysConfirm => true,
            Self::NeverConfirm => false,
            Self::ConfirmRisky { confirm_unknown, .. } if risk == SecurityRisk::Unknown => confirm_unknown,
            Self::ConfirmRisky { threshold, .. } => risk >= threshold,
        }
    }
}

/// As the SDK stores it.
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
        let mut fields = ObjectWriter::new();
        let kind = match self {
            Self::AlwaysConfirm => PolicyKind::Always,
            Self::NeverConfirm => PolicyKind::Never,
            Self::ConfirmRisky { threshold, confirm_unknown } => {
                fields.field("threshold", threshold);
                fields.field("confirm_unknown", confirm_unknown);
                PolicyKind::Risky
            }
        };
        fields.field("kind", &kind);
        out.push_str(&fields.finish());
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

/// The analyzer that takes the model's own word.
const LLM_SECURITY_ANALYZER: &str = "LLMSecurityAnalyzer";

/// The analyzer that says the worst of what several say.
const ENSEMBLE_SECURITY_ANALYZER: &str = "EnsembleSecurityAnalyzer";

/// The analyzers of the SDK that there is a reading of here.
const ANALYZERS: &[&str] = &[
    LLM_SECURITY_ANALYZER,
    "PatternSecurityAnalyzer",
    "PolicyRailSecurityAnalyzer",
    ENSEMBLE_SECURITY_ANALYZER,
];

/// Who says how dangerous a call is: one of the SDK's analyzers, as the SDK stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAnalyzer(RawJson);

impl StoredAnalyzer {
    /// `None` for what is no object with a kind, which nobody could read again.
    pub fn of(json: RawJson) -> Option<Self> {
        json.field::<String>("kind").map(|_| Self(json))
    }

    /// Its kind.
    pub fn kind(&self) -> String {
        self.0.field("kind").unwrap_or_default()
    }

    /// The text to store.
    pub fn as_json(&self) -> &RawJson {
        &self.0
    }

    /// Whether it takes the model's own word, which is in the event.
    pub fn is_the_model(&self) -> bool {
        self.kind() == LLM_SECURITY_ANALYZER
    }

    /// Whether it can be asked here.
    pub fn is_known(&self) -> bool {
        ANALYZERS.contains(&self.kind().as_str())
    }
}

/// Runs every analyzer but the model's own word.
pub trait SecurityAnalyzer {
    /// How dangerous the call in this `ActionEvent` is; `None` where it could not be found out.
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

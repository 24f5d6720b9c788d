//! Of two ways to ask the user, one that is no looser than either.

use super::{ConfirmationPolicy, ENSEMBLE_SECURITY_ANALYZER, StoredAnalyzer};
use crate::json::{ObjectWriter, RawJson, ToJson as _};

/// A policy, and who tells it how dangerous calls are: nobody, or an analyzer.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// When a call needs consent.
    pub policy: ConfirmationPolicy,
    /// Who says how dangerous it is.
    pub analyzer: Option<StoredAnalyzer>,
}

impl Guard {
    /// Asks about every call that one of the two asks about.
    pub fn and(self, other: Self) -> Self {
        use ConfirmationPolicy::NeverConfirm;
        let policy = self.policy.and(other.policy);
        let asks_about_unknown = policy.should_confirm(crate::event::SecurityRisk::Unknown);
        let analyzer = match (self.analyzer, other.analyzer) {
            (Some(one), Some(other)) => Some(one.and(other, asks_about_unknown)),
            // To a policy that never asks, nobody matters.
            (None, other) if self.policy == NeverConfirm => other,
            (one, None) if other.policy == NeverConfirm => one,
            // Where nobody says anything, every call is unknown.
            (one, other) if !asks_about_unknown => one.or(other),
            _ => None,
        };
        Self { policy, analyzer }
    }
}

impl ConfirmationPolicy {
    /// Asks whenever one of the two asks, about calls of the same risk.
    fn and(self, other: Self) -> Self {
        use ConfirmationPolicy::{AlwaysConfirm, ConfirmRisky, NeverConfirm};
        match (self, other) {
            (NeverConfirm, policy) | (policy, NeverConfirm) => policy,
            (AlwaysConfirm, _) | (_, AlwaysConfirm) => AlwaysConfirm,
            (
                ConfirmRisky { threshold, confirm_unknown },
                ConfirmRisky { threshold: other_threshold, confirm_unknown: other_unknown },
            ) => ConfirmRisky {
                threshold: threshold.min(other_threshold),
                confirm_unknown: confirm_unknown || other_unknown,
            },
        }
    }
}

impl StoredAnalyzer {
    /// Says the worst of what the two say; that one of them does not know comes first where it matters.
    fn and(self, other: Self, propagate_unknown: bool) -> Self {
        let parts: Vec<RawJson> = self.0.field("analyzers").unwrap_or_default();
        let is_part = parts.contains(&other.0)
            && self.kind() == ENSEMBLE_SECURITY_ANALYZER
            && self.0.field("propagate_unknown").unwrap_or(false) == propagate_unknown;
        if is_part || self == other {
            return self;
        }
        let mut ensemble = ObjectWriter::new();
        ensemble.raw("analyzers", &[self.0, other.0][..].to_json_text());
        ensemble.field("propagate_unknown", &propagate_unknown);
        ensemble.field("kind", ENSEMBLE_SECURITY_ANALYZER);
        Self(ensemble.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SecurityRisk::{self, High, Low, Medium, Unknown};
    use crate::json::FromJson as _;

    /// An analyzer that is known by what it says of the call that is looked at.
    fn saying(risk: SecurityRisk) -> StoredAnalyzer {
        StoredAnalyzer::of(RawJson::from_json(&format!("{{\"kind\":\"{risk:?}\"}}")).unwrap()).unwrap()
    }

    /// As `js/security/index.ts` and the SDK judge.
    fn risk_by(analyzer: &RawJson) -> SecurityRisk {
        let kind: String = analyzer.field("kind").unwrap();
        if let Some(risk) = [Unknown, Low, Medium, High].into_iter().find(|risk| format!("{risk:?}") == kind)
        {
            return risk;
        }
        let parts: Vec<RawJson> = analyzer.field("analyzers").unwrap();
        let said: Vec<SecurityRisk> = parts.iter().map(risk_by).collect();
        let propagates: bool = analyzer.field("propagate_unknown").unwrap();
        if propagates && said.contains(&Unknown) {
            return Unknown;
        }
        said.into_iter().max().unwrap()
    }

    fn asks(guard: &Guard) -> bool {
        let risk = guard.analyzer.as_ref().map_or(Unknown, |analyzer| risk_by(analyzer.as_json()));
        guard.policy.should_confirm(risk)
    }

    fn guards() -> Vec<Guard> {
        let risky = |threshold| {
            [true, false]
                .map(|confirm_unknown| ConfirmationPolicy::ConfirmRisky { threshold, confirm_unknown })
        };
        let mut policies = vec![ConfirmationPolicy::AlwaysConfirm, ConfirmationPolicy::NeverConfirm];
        policies.extend([Low, Medium, High].into_iter().flat_map(risky));
        let analyzers: Vec<_> =
            [Unknown, Low, Medium, High].map(|risk| Some(saying(risk))).into_iter().chain([None]).collect();
        let with = |policy: ConfirmationPolicy| {
            analyzers.clone().into_iter().map(move |analyzer| Guard { policy, analyzer })
        };
        policies.into_iter().flat_map(with).collect()
    }

    #[test]
    fn of_any_two_the_result_asks_whenever_one_of_them_does_and_so_of_any_three() {
        for one in guards() {
            for other in guards() {
                let both = one.clone().and(other.clone());
                assert!(asks(&both) || !asks(&one) && !asks(&other), "{one:?} and {other:?}: {both:?}");
                for third in guards() {
                    let all = both.clone().and(third.clone());
                    assert!(asks(&all) || !asks(&both) && !asks(&third), "{both:?} and {third:?}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn what_never_asks_adds_nothing_and_what_is_there_already_is_not_added_again() {
        let never = Guard { policy: ConfirmationPolicy::NeverConfirm, analyzer: None };
        for one in guards() {
            assert_eq!(never.clone().and(one.clone()), one);
            assert_eq!(one.clone().and(never.clone()), one);
            assert_eq!(one.clone().and(one.clone()), one);
            for other in guards() {
                let both = one.clone().and(other.clone());
                assert_eq!(both.clone().and(other), both);
            }
        }
    }
}

//! Combines two confirmation settings to one that is at least as strict as both.

use super::{ConfirmationPolicy, ENSEMBLE_SECURITY_ANALYZER, StoredAnalyzer};
use crate::json::{RawJson, object};

/// A confirmation policy, and the analyzer that rates calls for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// The policy that decides which calls need approval.
    pub policy: ConfirmationPolicy,
    /// The analyzer; without one, every risk is unknown.
    pub analyzer: Option<StoredAnalyzer>,
}

impl Guard {
    /// The settings in these fields of a base state.
    pub fn stored(policy: Option<RawJson>, analyzer: Option<RawJson>) -> Self {
        Self { policy: ConfirmationPolicy::stored(policy), analyzer: analyzer.and_then(StoredAnalyzer::of) }
    }

    /// The combination, which asks about every call that one of the two asks about.
    pub fn and(self, other: Self) -> Self {
        use ConfirmationPolicy::NeverConfirm;
        let policy = self.policy.and(other.policy);
        let asks_about_unknown = policy.should_confirm(crate::event::SecurityRisk::Unknown);
        let analyzer = match (self.analyzer, other.analyzer) {
            (Some(one), Some(other)) => Some(one.and(other, asks_about_unknown)),
            // The missing analyzer of a policy that never asks has no effect.
            (None, other) if self.policy == NeverConfirm => other,
            (one, None) if other.policy == NeverConfirm => one,
            // Without an analyzer every risk is unknown, and the policy does not ask about unknown risks.
            (one, other) if !asks_about_unknown => one.or(other),
            _ => None,
        };
        Self { policy, analyzer }
    }
}

impl ConfirmationPolicy {
    /// The policy that asks about a risk if one of the two does.
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
    /// The ensemble of the two, which gives the higher risk. With `propagate_unknown` it gives UNKNOWN if one does.
    fn and(self, other: Self, propagate_unknown: bool) -> Self {
        let parts: Vec<RawJson> = self.0.field("analyzers").unwrap_or_default();
        let is_part = parts.contains(&other.0)
            && self.kind() == ENSEMBLE_SECURITY_ANALYZER
            && self.0.field("propagate_unknown").unwrap_or(false) == propagate_unknown;
        if is_part || self == other {
            return self;
        }
        let ensemble = object! {
            "analyzers": vec![self.0, other.0],
            "propagate_unknown": propagate_unknown,
            "kind": ENSEMBLE_SECURITY_ANALYZER,
        };
        Self(ensemble.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SecurityRisk::{self, High, Low, Medium, Unknown};
    use crate::json::FromJson as _;

    /// An analyzer that gives this risk.
    fn rating(risk: SecurityRisk) -> StoredAnalyzer {
        StoredAnalyzer::of(RawJson::from_json(&format!("{{\"kind\":\"{risk:?}\"}}")).unwrap()).unwrap()
    }

    /// The risk that `js/control/security/index.ts` and the SDK would give.
    fn risk_by(analyzer: &RawJson) -> SecurityRisk {
        let kind: String = analyzer.field("kind").unwrap();
        if let Some(risk) = [Unknown, Low, Medium, High].into_iter().find(|risk| format!("{risk:?}") == kind)
        {
            return risk;
        }
        let parts: Vec<RawJson> = analyzer.field("analyzers").unwrap();
        let risks: Vec<SecurityRisk> = parts.iter().map(risk_by).collect();
        let propagates: bool = analyzer.field("propagate_unknown").unwrap();
        if propagates && risks.contains(&Unknown) {
            return Unknown;
        }
        risks.into_iter().max().unwrap()
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
            [Unknown, Low, Medium, High].map(|risk| Some(rating(risk))).into_iter().chain([None]).collect();
        let with = |policy: ConfirmationPolicy| {
            analyzers.clone().into_iter().map(move |analyzer| Guard { policy, analyzer })
        };
        policies.into_iter().flat_map(with).collect()
    }

    #[test]
    fn a_combination_of_two_or_three_guards_asks_whenever_one_of_them_does() {
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
    fn a_guard_that_never_asks_adds_nothing_and_no_guard_is_added_twice() {
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

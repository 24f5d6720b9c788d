//! Time and chance, which the core takes from outside so that tests decide both.

use futures_util::future::LocalBoxFuture;
use std::time::Duration;
use uuid::Uuid;

/// What the core asks of the machine it runs on.
pub trait Host {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> f64;

    /// The local wall clock as the SDK writes it: `2026-01-31T09:15:02.123456`, no zone.
    fn local_time(&self) -> String;

    /// A random UUID, version 4.
    fn random_uuid(&self) -> Uuid;

    /// Resolves after `duration`. Dropping the future forgets the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;
}

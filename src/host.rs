//! Time and random numbers. The core gets them through a trait, so that tests control both.

use futures_util::future::LocalBoxFuture;
use std::time::Duration;
use uuid::Uuid;

/// The source of time and random numbers.
pub trait Host {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> f64;

    /// The local time in the form of the SDK, without a zone: `2026-01-31T09:15:02.123456`.
    fn local_time(&self) -> String;

    /// A random UUID, version 4.
    fn random_uuid(&self) -> Uuid;

    /// Resolves after `duration`. Dropping the future cancels the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;
}

//! Clock, timers, random numbers and characters of a page, a worker or Node.

use crate::host::Host;
use futures_channel::oneshot;
use futures_util::future::LocalBoxFuture;
use js_sys::{Date, Function};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use uuid::Uuid;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// A number in browsers, an object in Node.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &Function, milliseconds: i32) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);

    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    #[wasm_bindgen(js_namespace = Intl)]
    type Segmenter;
    #[wasm_bindgen(constructor, js_namespace = Intl, catch)]
    fn new() -> Result<Segmenter, JsValue>;
    #[wasm_bindgen(method)]
    fn segment(this: &Segmenter, text: &str) -> Segments;

    type Segments;
    #[wasm_bindgen(method)]
    fn containing(this: &Segments, place: usize) -> Segment;

    type Segment;
    #[wasm_bindgen(method, getter)]
    fn index(this: &Segment) -> usize;
}

/// The clock, the timers and the random numbers of the page.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebHost;

impl Host for WebHost {
    /// The wall clock, with the precision of `performance.now()` as long as the two agree: the latter stops while the
    /// machine sleeps, and ignores adjustments of the clock.
    fn now(&self) -> f64 {
        const TOLERANCE: f64 = 50.0;
        let wall = Date::now();
        let fine = TIME_ORIGIN.with(|origin| *origin) + performance_now();
        if (fine - wall).abs() < TOLERANCE { fine } else { wall }
    }

    fn local_time(&self) -> String {
        let now = self.now();
        let date = Date::new(&now.into());
        // Without `%`, for which wasm has no instruction.
        let microseconds = ((now - (now / 1000.0).floor() * 1000.0) * 1000.0) as u32;
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}",
            date.get_full_year(),
            date.get_month() + 1,
            date.get_date(),
            date.get_hours(),
            date.get_minutes(),
            date.get_seconds(),
            microseconds.min(999_999),
        )
    }

    fn random_uuid(&self) -> Uuid {
        Uuid::new_v4()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(Sleep::new(duration))
    }

    /// Where `Intl.Segmenter` is missing, each code point is a character.
    fn last_character(&self, text: &str) -> usize {
        let Some((last, _)) = text.char_indices().next_back() else { return 0 };
        let Ok(segmenter) = Segmenter::new() else { return last };
        // Places in texts of JavaScript are counted in halves of UTF-16.
        let units = text.get(..last).map_or(0, |before| before.encode_utf16().count());
        let start = segmenter.segment(text).containing(units).index();
        let mut counted = 0;
        for (place, c) in text.char_indices() {
            if counted >= start {
                return place;
            }
            counted += c.len_utf16();
        }
        last
    }
}

/// A timer that is cleared when it is dropped.
struct Sleep {
    id: JsValue,
    fired: oneshot::Receiver<()>,
    /// Must live as long as the timer may call it.
    _on_fire: Closure<dyn FnMut()>,
}

impl Sleep {
    fn new(duration: Duration) -> Self {
        let (sender, fired) = oneshot::channel();
        let on_fire = Closure::once(move || {
            // The receiver may have been dropped in the same turn.
            let _ = sender.send(());
        });
        // With a longer delay than `i32` the timer would fire at once.
        let milliseconds = i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
        let id = set_timeout(on_fire.as_ref().unchecked_ref(), milliseconds);
        Self { id, fired, _on_fire: on_fire }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.fired).poll(context).map(|_| ())
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}

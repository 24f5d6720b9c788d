//! Detects that the page is being left.
//!
//! Firefox aborts a page's requests when a reload begins, long before it stops the page's scripts. Such a failure is not
//! one of the network: to record it would leave an error in a conversation that was only interrupted. Therefore a
//! request that fails waits here first, and if the page is really left, the wait never ends.

use super::host::WebHost;
use crate::host::Host;
use js_sys::Function;
use std::{cell::Cell, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::EventTarget;

/// How long the next page may take to load. After that the user has chosen to stay, or has followed a download link.
const LEAVING_TIMEOUT: Duration = Duration::from_secs(5);

/// Listens for the beginning of a navigation. Does nothing where there are no pages, as in Node.
pub struct Watch {
    window: Option<EventTarget>,
    on_leave: Closure<dyn FnMut()>,
    is_leaving: Rc<Cell<bool>>,
}

impl Watch {
    /// Begins to listen.
    pub fn begin() -> Self {
        let is_leaving = Rc::new(Cell::new(false));
        let flag = is_leaving.clone();
        let on_leave = Closure::new(move || flag.set(true));
        let window = js_sys::global().dyn_into::<EventTarget>().ok();
        if let Some(window) = &window {
            // Should this fail, the page counts as one that stays.
            let _ = window.add_event_listener_with_callback("beforeunload", function(&on_leave));
        }
        Self { window, on_leave, is_leaving }
    }

    /// Returns at once if the page is not being left; otherwise only if the page still exists after a while.
    pub async fn outlast(&self) {
        if self.is_leaving.replace(false) {
            WebHost.sleep(LEAVING_TIMEOUT).await;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(window) = &self.window {
            let _ = window.remove_event_listener_with_callback("beforeunload", function(&self.on_leave));
        }
    }
}

fn function(closure: &Closure<dyn FnMut()>) -> &Function {
    closure.as_ref().unchecked_ref()
}

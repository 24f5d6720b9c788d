//! Whether the page is on its way out.
//!
//! Firefox breaks off a page's requests when a reload begins, long before it stops the page's scripts. What breaks
//! then is no failure of the network: to record it as one would leave an error in a conversation that was only
//! interrupted. So whoever sees a request fail asks here first, and a page that does leave never gets an answer.

use super::host::WebHost;
use crate::host::Host;
use js_sys::Function;
use std::{cell::Cell, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::EventTarget;

/// How long the next page may take to arrive. The user may also have chosen to stay, or followed a download.
const PATIENCE: Duration = Duration::from_secs(5);

/// Notices, while it lives, that the page begins to leave. Notices nothing where pages do not leave, as in Node.
pub struct Watch {
    window: Option<EventTarget>,
    on_leave: Closure<dyn FnMut()>,
    is_leaving: Rc<Cell<bool>>,
}

impl Watch {
    /// Watches from now on.
    pub fn begin() -> Self {
        let is_leaving = Rc::new(Cell::new(false));
        let noted = is_leaving.clone();
        let on_leave = Closure::new(move || noted.set(true));
        let window = js_sys::global().dyn_into::<EventTarget>().ok();
        if let Some(window) = &window {
            // Fails for no reason of ours; the page then counts as one that stays.
            let _ = window.add_event_listener_with_callback("beforeunload", function(&on_leave));
        }
        Self { window, on_leave, is_leaving }
    }

    /// Comes back at once if the page stays, and if it leaves only should it change its mind.
    pub async fn outlast(&self) {
        if self.is_leaving.replace(false) {
            WebHost.sleep(PATIENCE).await;
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

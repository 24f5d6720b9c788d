//! One writer per name, across the tabs and workers of an origin.
//!
//! Web Locks do it: the browser takes the lock back when the tab dies, however it dies. Where there are none (Node,
//! pages that are not a secure context) a registry in this process serves, which knows nothing of other tabs; the
//! store's own compare-and-swap still keeps two writers from harming each other.

use crate::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::{JsCast as _, prelude::*};

#[wasm_bindgen]
extern "C" {
    /// `navigator.locks`.
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &JsValue,
        granted: &JsValue,
    ) -> Result<Promise, JsValue>;

    /// A promise whose handlers are plain functions.
    type Thenable;

    #[wasm_bindgen(method)]
    fn then(this: &Thenable, fulfilled: &JsValue, rejected: &JsValue) -> JsValue;
}

thread_local! {
    static HELD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A lock that is held until this is dropped.
pub struct Guard(Holding);

enum Holding {
    /// Settles the promise during which the browser grants the lock.
    Granted(Function),
    Registered(String),
}

/// Takes the lock called `name` if nobody holds it; never waits for the holder.
pub async fn try_lock(name: &str) -> Option<Guard> {
    if let Some(locks) = lock_manager()
        && let Ok(answer) = ask(&locks, name).await
    {
        return answer;
    }
    HELD.with_borrow_mut(|held| {
        if held.iter().any(|other| other == name) {
            return None;
        }
        held.push(name.to_owned());
        Some(Guard(Holding::Registered(name.to_owned())))
    })
}

fn lock_manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// `Err` if the browser refuses to answer, as it does in a document that is about to go.
async fn ask(locks: &LockManager, name: &str) -> Result<Option<Guard>, JsValue> {
    let (sender, answer) = oneshot::channel();
    let sender = Rc::new(Cell::new(Some(sender)));
    let granted = {
        let sender = Rc::clone(&sender);
        Closure::once_into_js(move |lock: JsValue| -> JsValue {
            let Some(sender) = sender.take() else { return JsValue::UNDEFINED };
            if lock.is_null() || lock.is_undefined() {
                let _ = sender.send(Ok(None));
                return JsValue::UNDEFINED;
            }
            let mut release = None;
            let held = Promise::new(&mut |resolve, _| release = Some(resolve));
            // A caller who is gone drops the guard, which releases the lock at once.
            let _ = sender.send(Ok(release.map(|release| Guard(Holding::Granted(release)))));
            held.into()
        })
    };
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE)?;
    let request = locks.request(name, &options, &granted)?;
    // Leaks a few bytes per lock if it is never called; dropped earlier, a late refusal would find it gone.
    let refused = Closure::once_into_js(move |reason: JsValue| {
        if let Some(sender) = sender.take() {
            let _ = sender.send(Err(reason));
        }
    });
    request.unchecked_ref::<Thenable>().then(&JsValue::UNDEFINED, &refused);
    answer.await.unwrap_or_else(|_| Err(JsValue::UNDEFINED))
}

impl Drop for Guard {
    fn drop(&mut self) {
        match &self.0 {
            Holding::Granted(release) => {
                // Resolving a promise cannot fail.
                let _ = release.call0(&JsValue::UNDEFINED);
            }
            Holding::Registered(name) => {
                HELD.with_borrow_mut(|held| held.retain(|other| other != name));
            }
        }
    }
}

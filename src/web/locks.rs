//! One writer per name, across the tabs and workers of an origin.
//!
//! Web Locks do it: the browser takes the lock back when the tab dies, however it dies. Where there are none (Node,
//! pages that are not a secure context) a registry in this process serves, which knows nothing of other tabs; the
//! store's own compare-and-swap still keeps two writers from harming each other.

use super::guard::Thenable;
use futures_channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::{JsCast as _, prelude::*};
use wasm_bindgen_futures::JsFuture;

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
}

thread_local! {
    /// Where there are no Web Locks.
    static HELD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// Let go of here, and perhaps not free yet: the browser takes a moment. Stays until the name is asked for again.
    static LEAVING: RefCell<Vec<(String, Promise)>> = const { RefCell::new(Vec::new()) };
}

/// A lock that is held until this is dropped.
pub struct Guard {
    name: String,
    /// `None` for a name in `HELD`.
    granted: Option<Granted>,
}

struct Granted {
    _lock: Lock,
    /// Settles once the lock is free again.
    freed: Promise,
}

/// What the browser grants for as long as a promise of ours is open; this settles it.
struct Lock(Function);

impl Guard {
    /// Lets go of the lock; resolves when others can have it.
    pub async fn release(self) {
        let name = self.name.clone();
        drop(self);
        left(&name).await;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        match self.granted.take() {
            Some(Granted { freed, .. }) => LEAVING.with_borrow_mut(|leaving| leaving.push((name, freed))),
            None => HELD.with_borrow_mut(|held| held.retain(|other| *other != name)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Resolving a promise cannot fail.
        let _ = self.0.call0(&JsValue::UNDEFINED);
    }
}

/// Takes the lock called `name` if nobody holds it; never waits for the holder.
pub async fn try_lock(name: &str) -> Option<Guard> {
    left(name).await;
    if let Some(locks) = lock_manager()
        && let Ok(answer) = ask(&locks, name).await
    {
        let guard = |granted| Guard { name: name.to_owned(), granted: Some(granted) };
        return answer.map(guard);
    }
    HELD.with_borrow_mut(|held| {
        if held.iter().any(|other| other == name) {
            return None;
        }
        held.push(name.to_owned());
        Some(Guard { name: name.to_owned(), granted: None })
    })
}

/// Waits until the lock called `name` is free of what was let go of here.
async fn left(name: &str) {
    let next = || {
        LEAVING.with_borrow_mut(|leaving| {
            let place = leaving.iter().position(|(other, _)| other == name)?;
            Some(leaving.swap_remove(place).1)
        })
    };
    while let Some(freed) = next() {
        // Also a lock that was taken away is free.
        let _ = JsFuture::from(freed).await;
    }
}

fn lock_manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// `Err` if the browser refuses to answer, as it does in a document that is about to go.
async fn ask(locks: &LockManager, name: &str) -> Result<Option<Granted>, JsValue> {
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
            // A caller who is gone drops the lock, which releases it at once.
            let _ = sender.send(Ok(release.map(Lock)));
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
    let lock = answer.await.unwrap_or_else(|_| Err(JsValue::UNDEFINED))?;
    Ok(lock.map(|lock| Granted { _lock: lock, freed: request }))
}

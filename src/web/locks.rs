//! Exclusive locks by name, across the tabs and workers of an origin.
//!
//! They are Web Locks, which the browser releases when the tab ends in any way. Where there are none (Node, pages that are
//! not a secure context), a registry in this process replaces them, which does not cover other tabs; there the
//! compare-and-swap of the store still protects against two writers.

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
    /// The names that are locked where there are no Web Locks, each with the guard that holds it.
    static HELD: RefCell<Vec<(String, Rc<()>)>> = const { RefCell::new(Vec::new()) };
    /// Locks that were released here and that the browser may not have freed yet, until the name is requested again.
    static RELEASED: RefCell<Vec<(String, Promise)>> = const { RefCell::new(Vec::new()) };
}

/// A held lock, which is released when this is dropped.
pub struct Guard {
    name: String,
    held: Held,
}

enum Held {
    Granted(Granted),
    /// An entry in `HELD`, which another guard may have replaced.
    Here(Rc<()>),
}

struct Granted {
    _lock: Lock,
    /// Settles when the lock is free again.
    freed: Promise,
}

/// The function that resolves the promise for whose duration the browser grants the lock.
struct Lock(Function);

impl Guard {
    /// Releases the lock; resolves when others can take it.
    pub async fn release(self) {
        let name = self.name.clone();
        drop(self);
        until_freed(&name).await;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        match &self.held {
            Held::Granted(Granted { freed, .. }) => {
                RELEASED.with_borrow_mut(|released| released.push((name, freed.clone())));
            }
            Held::Here(own) => HELD.with_borrow_mut(|held| held.retain(|(_, other)| !Rc::ptr_eq(own, other))),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Resolving a promise cannot fail.
        let _ = self.0.call0(&JsValue::UNDEFINED);
    }
}

/// Takes the lock called `name` if it is free, or with `steals` from its holder; never waits for the holder.
pub async fn take(name: &str, steals: bool) -> Option<Guard> {
    until_freed(name).await;
    if let Some(locks) = lock_manager()
        && let Ok(answer) = request(&locks, name, steals).await
    {
        let guard = |granted| Guard { name: name.to_owned(), held: Held::Granted(granted) };
        return answer.map(guard);
    }
    HELD.with_borrow_mut(|held| {
        if steals {
            held.retain(|(other, _)| other != name);
        } else if held.iter().any(|(other, _)| other == name) {
            return None;
        }
        let own = Rc::new(());
        held.push((name.to_owned(), own.clone()));
        Some(Guard { name: name.to_owned(), held: Held::Here(own) })
    })
}

/// Takes the lock called `name` if it is free.
pub async fn try_lock(name: &str) -> Option<Guard> {
    take(name, false).await
}

/// Waits until the browser has freed the locks called `name` that were released here.
async fn until_freed(name: &str) {
    let next = || {
        RELEASED.with_borrow_mut(|released| {
            let position = released.iter().position(|(other, _)| other == name)?;
            Some(released.swap_remove(position).1)
        })
    };
    while let Some(freed) = next() {
        // A lock that was stolen rejects, and is free as well.
        let _ = JsFuture::from(freed).await;
    }
}

fn lock_manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// Requests a lock; `None` if it is taken and not to be stolen. `Err` if the browser refuses, as it does in a document that is being unloaded.
async fn request(locks: &LockManager, name: &str, steals: bool) -> Result<Option<Granted>, JsValue> {
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
            // If the caller is gone, the lock is dropped, which releases it at once.
            let _ = sender.send(Ok(release.map(Lock)));
            held.into()
        })
    };
    let options = Object::new();
    // The browser refuses a request with both `steal` and `ifAvailable`.
    Reflect::set(&options, &if steals { "steal" } else { "ifAvailable" }.into(), &JsValue::TRUE)?;
    let request = locks.request(name, &options, &granted)?;
    // Leaks a few bytes for a lock that is granted; if it were dropped, a late refusal would call a dropped closure.
    let refused = Closure::once_into_js(move |reason: JsValue| {
        if let Some(sender) = sender.take() {
            let _ = sender.send(Err(reason));
        }
    });
    request.unchecked_ref::<Thenable>().then(&JsValue::UNDEFINED, &refused);
    let lock = answer.await.unwrap_or_else(|_| Err(JsValue::UNDEFINED))?;
    Ok(lock.map(|lock| Granted { _lock: lock, freed: request }))
}

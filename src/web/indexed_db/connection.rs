//! The connection to the database: opened with the first call, shared by all, opened again after it was lost.
//!
//! * If another tab wants to open another version of the database, or to delete it, the connection closes at once, and
//!   the next call opens it again. If the other version is a newer one, this fails with [`StoreError::Newer`].
//! * A connection that the browser closes (the user cleared the storage) is opened again by the next call as well, and so is one
//!   of which a call has found that it is lost, as happens in Safari ([`StoreError::Disconnected`]).
//! * A database without tables was made by another script, which has only looked for it: it gets its tables, or is made anew if
//!   it has the current version already.
//! * If another tab does *not* close its connection, opening fails with [`StoreError::Blocked`] after
//!   [`BLOCKED_TIMEOUT`]; it also does if the browser does not answer for [`OPEN_TIMEOUT`], as may happen behind a
//!   deletion that is blocked itself. The attempt cannot be cancelled: if it succeeds later, the next call uses it.

use super::{
    failure::{failure, idb_failure, is_named, losses},
    platform::{DurableDatabase, TransactionOptions},
    schema::{Table, Version, migrate},
    transaction::Transaction,
};
use crate::{
    error::shown,
    host::Host as _,
    store::{Durability, Found, StoreError},
    web::{guard, host::WebHost, locks},
};
use futures_channel::oneshot;
use idb::{DatabaseEvent as _, Event as _, Factory, Request as _, request::OpenDatabaseRequest};
use std::{cell::RefCell, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast as _, JsValue};

/// How long another tab may block opening.
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(3);

/// How long opening may take in total.
const OPEN_TIMEOUT: Duration = Duration::from_secs(20);

/// How long another tab that makes the database anew is waited for before it is opened again.
const ANEW_PAUSE: Duration = Duration::from_millis(50);

/// A database by name.
#[derive(Clone)]
pub(super) struct Connection(Rc<Shared>);

struct Shared {
    name: String,
    durability: Option<Durability>,
    modes: Modes,
    state: RefCell<State>,
}

/// The arguments of all transactions, made once.
struct Modes {
    read: JsValue,
    write: JsValue,
    strict: TransactionOptions,
    relaxed: TransactionOptions,
}

#[derive(Default)]
struct State {
    is_closed: bool,
    open: Option<Open>,
    opening: Option<Opening>,
    /// The number of times the database was opened.
    generation: u32,
    /// The losses of connections before the last opening.
    losses: u32,
    found: Found,
}

struct Open {
    database: DurableDatabase,
    /// Owns the event handlers.
    _owner: idb::Database,
}

#[derive(Default)]
struct Opening {
    /// Owns the event handlers, one of which ends the attempt.
    request: Option<OpenDatabaseRequest>,
    waiting: Vec<oneshot::Sender<Result<(), StoreError>>>,
    is_blocked: bool,
    failure: Option<StoreError>,
    /// Held by the one tab that makes the database anew: another one could delete what this one has stored meanwhile.
    anew: Option<locks::Guard>,
}

/// An open database and the number of its opening.
#[derive(Clone)]
pub(super) struct Link {
    database: DurableDatabase,
    pub(super) generation: u32,
}

/// The purpose of a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Read,
    Write(Durability),
}

impl Connection {
    /// A connection that is opened with the first call. `durability` overrides that of every commit.
    pub(super) fn new(name: &str, durability: Option<Durability>) -> Self {
        let options = |durability| {
            let options: TransactionOptions = js_sys::Object::new().unchecked_into();
            options.set_durability(durability);
            options
        };
        let modes = Modes {
            read: "readonly".into(),
            write: "readwrite".into(),
            strict: options("strict"),
            relaxed: options("relaxed"),
        };
        Self(Rc::new(Shared { name: name.to_owned(), durability, modes, state: RefCell::default() }))
    }

    /// The open database, which is opened if necessary.
    pub(super) async fn link(&self) -> Result<Link, StoreError> {
        loop {
            let answer = {
                let mut state = self.0.state.borrow_mut();
                if state.is_closed {
                    return Err(StoreError::Closed);
                }
                if state.losses != losses()
                    && let Some(open) = state.open.take()
                {
                    open.database.close();
                }
                if let Some(open) = &state.open {
                    return Ok(Link { database: open.database.clone(), generation: state.generation });
                }
                let (sender, answer) = oneshot::channel();
                match &mut state.opening {
                    Some(opening) => {
                        opening.waiting.push(sender);
                        let wait = if opening.is_blocked { BLOCKED_TIMEOUT } else { OPEN_TIMEOUT };
                        self.0.fail_waiting_after(wait);
                    }
                    None => {
                        state.opening = Some(self.0.start(sender)?);
                        self.0.fail_waiting_after(OPEN_TIMEOUT);
                    }
                }
                answer
            };
            answer.await.unwrap_or(Err(StoreError::Closed))?;
        }
    }

    /// A transaction on `tables`, on an open database or on one that is opened for it.
    pub(super) async fn transaction(&self, tables: &[Table], mode: Mode) -> Result<Transaction, StoreError> {
        let link = self.link().await?;
        match self.begin(&link, tables, mode) {
            // The connection was closing, and its event had not arrived yet.
            Err(StoreError::Closed) => {
                let link = self.link().await?;
                self.begin(&link, tables, mode)
            }
            begun => begun,
        }
    }

    /// A transaction on `link`. With [`StoreError::Closed`], the next [`Connection::link`] opens another.
    pub(super) fn begin(&self, link: &Link, tables: &[Table], mode: Mode) -> Result<Transaction, StoreError> {
        let names = match tables {
            [table] => table.name(),
            _ => {
                let names = js_sys::Array::new();
                for table in tables {
                    names.push(&table.name());
                }
                names.into()
            }
        };
        let modes = &self.0.modes;
        let (mode, options) = match mode {
            Mode::Read => (&modes.read, &modes.relaxed),
            Mode::Write(durability) => match self.0.durability.unwrap_or(durability) {
                Durability::Strict => (&modes.write, &modes.strict),
                Durability::Relaxed => (&modes.write, &modes.relaxed),
            },
        };
        match link.database.begin(&names, mode, options) {
            Ok(raw) => Ok(Transaction::new(raw)),
            Err(thrown) if is_named(&thrown, "InvalidStateError") => {
                self.0.disconnect(link.generation);
                Err(StoreError::Closed)
            }
            Err(thrown) if is_named(&thrown, "NotFoundError") => Err(StoreError::Corrupt(format!(
                "the database {} belongs to another program, which has other tables; give the store another name",
                shown(&self.0.name)
            ))),
            Err(thrown) => Err(failure(&thrown)),
        }
    }

    /// The state in which the database was found when it was opened.
    pub(super) fn found(&self) -> Found {
        self.0.state.borrow().found
    }

    /// Closes the connection; it is not opened again.
    pub(super) fn close(&self) {
        let waiting = {
            let mut state = self.0.state.borrow_mut();
            state.is_closed = true;
            if let Some(open) = state.open.take() {
                open.database.close();
            }
            state.opening.as_mut().map(|opening| std::mem::take(&mut opening.waiting)).unwrap_or_default()
        };
        for sender in waiting {
            let _ = sender.send(Err(StoreError::Closed));
        }
    }
}

impl Shared {
    fn start(
        self: &Rc<Self>,
        sender: oneshot::Sender<Result<(), StoreError>>,
    ) -> Result<Opening, StoreError> {
        Ok(Opening { request: Some(self.request()?), waiting: vec![sender], ..Opening::default() })
    }

    fn request(self: &Rc<Self>) -> Result<OpenDatabaseRequest, StoreError> {
        let factory = Factory::new().map_err(idb_failure)?;
        let mut request = factory.open(&self.name, Some(Version::CURRENT as u32)).map_err(idb_failure)?;
        let shared = Rc::clone(self);
        request.on_upgrade_needed(move |event| {
            let migrated = event.database().map_err(idb_failure).and_then(|database| {
                // Without tables it was made by a script that has only looked for it.
                let is_empty = database.store_names().is_empty();
                let version = if is_empty { 0 } else { event.old_version().map_err(idb_failure)? };
                if version == 0 {
                    shared.state.borrow_mut().found = found(&event.clone().into());
                }
                migrate(&database, version)
            });
            if let Err(error) = migrated {
                if let Some(opening) = &mut shared.state.borrow_mut().opening {
                    opening.failure = Some(error);
                }
                if let Some(transaction) = event.target().ok().and_then(|request| request.transaction()) {
                    // This fails the open request, whose handler reports the error.
                    let _ = web_sys::IdbTransaction::from(transaction).abort();
                }
            }
        });
        let shared = Rc::clone(self);
        request.on_success(move |event| match event.database() {
            Ok(database) => shared.opened(database),
            Err(error) => shared.settle(Err(idb_failure(error))),
        });
        let shared = Rc::clone(self);
        request.on_error(move |event| {
            let error = event.target().and_then(|request| request.error());
            shared.settle(Err(match error {
                Ok(Some(error)) => failure(&error),
                Ok(None) => StoreError::Closed,
                Err(error) => idb_failure(error),
            }));
        });
        let shared = Rc::clone(self);
        request.on_blocked(move |_| shared.blocked());
        Ok(request)
    }

    /// Deletes a database without tables and opens it again, under a lock, after which it is looked at once more.
    fn make_anew(self: &Rc<Self>) {
        let shared = Rc::clone(self);
        let _background = guard::promise(async move {
            let is_alone = shared.with_opening(|opening| opening.anew.is_some()).unwrap_or_default();
            let done = if is_alone {
                shared.delete().await
            } else {
                match locks::take(&["threadkeep-database:", &shared.name].concat(), false).await {
                    Some(lock) => drop(shared.with_opening(|opening| opening.anew = Some(lock))),
                    None => WebHost.sleep(ANEW_PAUSE).await,
                }
                Ok(())
            };
            match done.and_then(|()| shared.request()) {
                Ok(request) => drop(shared.with_opening(|opening| opening.request = Some(request))),
                Err(error) => shared.settle(Err(error)),
            }
            Ok(JsValue::UNDEFINED)
        });
    }

    async fn delete(self: &Rc<Self>) -> Result<(), StoreError> {
        let mut request =
            Factory::new().and_then(|factory| factory.delete(&self.name)).map_err(idb_failure)?;
        let shared = Rc::clone(self);
        request.on_blocked(move |_| shared.blocked());
        request.await.map_err(idb_failure)
    }

    fn blocked(self: &Rc<Self>) {
        self.with_opening(|opening| opening.is_blocked = true);
        self.fail_waiting_after(BLOCKED_TIMEOUT);
    }

    fn with_opening<T>(&self, change: impl FnOnce(&mut Opening) -> T) -> Option<T> {
        self.state.borrow_mut().opening.as_mut().map(change)
    }

    fn opened(self: &Rc<Self>, mut owner: idb::Database) {
        let database: DurableDatabase = JsValue::from(owner).unchecked_into();
        if self.state.borrow().is_closed {
            database.close();
            return self.settle(Err(StoreError::Closed));
        }
        owner = idb::Database::from(web_sys::IdbDatabase::from(database.clone()));
        if owner.store_names().is_empty() {
            database.close();
            return self.make_anew();
        }
        let generation = self.state.borrow().generation.wrapping_add(1);
        let shared = Rc::clone(self);
        owner.on_version_change(move |_| shared.disconnect(generation));
        let shared = Rc::clone(self);
        owner.on_close(move |_| shared.disconnect(generation));
        {
            let mut state = self.state.borrow_mut();
            state.generation = generation;
            state.losses = losses();
            state.open = Some(Open { database, _owner: owner });
        }
        self.settle(Ok(()));
    }

    /// Ends the attempt and sends its result to all waiting calls.
    fn settle(&self, mut result: Result<(), StoreError>) {
        let Some(opening) = self.state.borrow_mut().opening.take() else { return };
        if let (Err(error), Some(failure)) = (&mut result, opening.failure) {
            *error = failure;
        }
        for sender in opening.waiting {
            let _ = sender.send(result.clone());
        }
        drop(opening.request);
    }

    /// Closes the connection of this generation, so that the next call opens another.
    fn disconnect(&self, generation: u32) {
        let open = {
            let mut state = self.state.borrow_mut();
            if state.generation == generation { state.open.take() } else { None }
        };
        if let Some(open) = open {
            open.database.close();
        }
    }

    fn fail_waiting_after(self: &Rc<Self>, timeout: Duration) {
        let shared = Rc::downgrade(self);
        let _background = guard::promise(async move {
            WebHost.sleep(timeout).await;
            if let Some(shared) = shared.upgrade() {
                let waiting = match &mut shared.state.borrow_mut().opening {
                    Some(opening) => std::mem::take(&mut opening.waiting),
                    None => Vec::new(),
                };
                for sender in waiting {
                    let _ = sender.send(Err(StoreError::Blocked));
                }
            }
            Ok(JsValue::UNDEFINED)
        });
    }
}

/// The state of a database that did not exist. Chromium removes all databases of an origin when one file is damaged, and
/// reports it in the first event of this kind.
fn found(event: &JsValue) -> Found {
    let loss = js_sys::Reflect::get(event, &"dataLoss".into()).ok().and_then(|loss| loss.as_string());
    if loss.is_some_and(|loss| loss == "total") { Found::Damage } else { Found::Nothing }
}

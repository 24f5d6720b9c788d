//! Futures that are polled one at a time, in an order that a test decides.

use futures_util::future::LocalBoxFuture;
use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Wake, Waker},
};

/// The futures that are under way.
#[derive(Default)]
pub struct Tasks {
    under_way: Vec<Task>,
    begun: Begun,
}

/// Spawns tasks, also from within other tasks.
#[derive(Clone, Default)]
pub struct Begun(Rc<RefCell<Vec<Task>>>);

struct Task {
    name: &'static str,
    future: LocalBoxFuture<'static, ()>,
    is_woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Begun {
    pub fn spawn(&self, name: &'static str, future: impl Future<Output = ()> + 'static) {
        let is_woken = Arc::new(Woken(AtomicBool::new(true)));
        self.0.borrow_mut().push(Task { name, future: Box::pin(future), is_woken });
    }
}

impl Tasks {
    pub fn begun(&self) -> Begun {
        self.begun.clone()
    }

    /// Polls one of the tasks that can continue. Returns whether there was one.
    pub fn poll_one(&mut self, choice: usize) -> bool {
        self.under_way.append(&mut self.begun.0.borrow_mut());
        let can_go_on = |task: &Task| task.is_woken.0.load(Ordering::Relaxed);
        let ready = self.under_way.iter().filter(|task| can_go_on(task)).count();
        let Some(choice) = choice.checked_rem(ready) else { return false };
        let places = self.under_way.iter().enumerate().filter(|(_, task)| can_go_on(task));
        let Some((place, task)) = places.map(|(place, task)| (place, task.is_woken.clone())).nth(choice)
        else {
            return false;
        };
        task.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(task);
        let future = self.under_way[place].future.as_mut();
        if future.poll(&mut Context::from_waker(&waker)).is_ready() {
            drop(self.under_way.remove(place));
        }
        true
    }

    /// Polls until no task can continue.
    pub fn settle(&mut self) {
        let mut polls = 0;
        while self.poll_one(polls) {
            polls += 1;
            assert!(polls < 100_000, "these never rest: {:?}", self.names());
        }
    }

    /// The names of the tasks that have not ended.
    pub fn names(&self) -> Vec<&'static str> {
        self.under_way.iter().map(|task| task.name).collect()
    }

    /// Drops all tasks, as a page that dies.
    pub fn die(&mut self) {
        self.under_way.clear();
        self.begun.0.borrow_mut().clear();
    }
}

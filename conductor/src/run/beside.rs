//! Tasks that run beside the loop, of several kinds, in one place. The loop learns of each when it is done.

use std::collections::HashMap;
use std::future::Future;

use tokio::task::{AbortHandle, Id, JoinSet};

/// Tasks beside the loop, each of a kind `K` and with a result `T`. Dropping this aborts them.
#[derive(Debug)]
pub(super) struct Beside<K, T> {
    tasks: JoinSet<T>,
    under_way: HashMap<Id, (K, AbortHandle)>,
}

impl<K, T> Default for Beside<K, T> {
    fn default() -> Self {
        Self { tasks: JoinSet::new(), under_way: HashMap::new() }
    }
}

impl<K: Copy + PartialEq, T: Send + 'static> Beside<K, T> {
    /// Begins a task of a kind.
    pub fn begin(&mut self, kind: K, task: impl Future<Output = T> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.under_way.insert(handle.id(), (kind, handle));
    }

    /// Whether none is under way.
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// How many tasks of a kind are under way.
    pub fn count(&self, kind: K) -> usize {
        self.under_way.values().filter(|(which, _)| *which == kind).count()
    }

    /// Whether any task of a kind is under way.
    pub fn any(&self, kind: K) -> bool {
        self.under_way.values().any(|(which, _)| *which == kind)
    }

    /// The next task that is done, or the kind of one that broke off; `None` if none is under way. If the future is dropped,
    /// nothing is lost.
    pub async fn next(&mut self) -> Option<Result<T, K>> {
        loop {
            let (id, done) = match self.tasks.join_next_with_id().await? {
                Ok((id, done)) => (id, Some(done)),
                Err(error) => {
                    if error.is_panic() {
                        tracing::error!(%error, "something beside a run broke off");
                    }
                    (error.id(), None)
                }
            };
            // What was given up is not wanted any more, even where it was done a moment before.
            if let Some((kind, _)) = self.under_way.remove(&id) {
                return Some(done.ok_or(kind));
            }
        }
    }

    /// Gives up all tasks of a kind.
    pub fn give_up(&mut self, kind: K) {
        for (_, (_, handle)) in self.under_way.extract_if(|_, (which, _)| *which == kind) {
            handle.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn abandoned_work_is_not_heard_of_and_broken_work_is_named_by_kind() {
        let mut beside: Beside<char, u8> = Beside::default();
        beside.begin('a', ready(1));
        tokio::task::yield_now().await;
        beside.begin('a', pending());
        beside.begin('b', async { panic!("on purpose") });
        assert_eq!((beside.count('a'), beside.any('b'), beside.any('c')), (2, true, false));
        beside.give_up('a');
        assert_eq!(beside.next().await, Some(Err('b')));
        assert_eq!(beside.next().await, None);
        beside.begin('c', ready(3));
        assert_eq!(beside.next().await, Some(Ok(3)));
    }
}

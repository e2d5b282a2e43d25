//! One function over many cells on all cores.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the function over all cells, each on one core, and returns what came of them in order.
pub fn over<Cell: Sync, Outcome: Send>(
    cells: &[Cell],
    run: impl Fn(&Cell) -> Outcome + Sync,
) -> anyhow::Result<Vec<Outcome>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(cells.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = cells.get(at) else { return };
            let outcome = run(cell);
            if let Ok(mut done) = done.lock() {
                done.push((at, outcome));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().map_err(|_| anyhow::anyhow!("a cell could not be simulated"))?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_come_back_in_the_order_of_their_cells() {
        let cells: Vec<u64> = (0..500).collect();
        let squares = over(&cells, |cell| cell * cell).unwrap();
        assert!(squares.iter().zip(&cells).all(|(square, cell)| *square == cell * cell));
    }
}

//! The tables and the plot of few subtasks.

use frlm_client::attack_simulation::measure;
use frlm_client::attack_simulation::measured::{Measured, times_unverified};
use frlm_verifier::VerificationPolicy;

use super::table::{rows, tables};
use super::{cells, plot};

#[test]
fn all_cells_come_back_in_order_with_tables_a_plot_and_rows() {
    let wanted = cells(20, 1..3);
    let measured = measure(&wanted).unwrap();
    assert_eq!(measured.len(), wanted.len());
    assert!(measured.iter().zip(&wanted).all(|(measured, cell)| measured.cell.policy == cell.policy
        && (measured.cell.share - cell.share).abs() < 1e-9));
    let text = tables(&measured);
    assert_eq!(text.matches("| redundancy:3/2 |").count(), 8, "one row for both worlds: {text}");
    assert_eq!(plot::svg(&measured).matches("<polyline").count(), 24);
    assert_eq!(rows(&measured).len(), wanted.len());
    let alone = measured.iter().find(|measured| measured.cell.policy == VerificationPolicy::None);
    assert!((times_unverified(alone.unwrap(), &measured) - 1.0).abs() < 1e-9);
    let share = |measured: &Measured| measured.right();
    assert!(measured.iter().map(share).all(|share| (0.0..=1.0).contains(&share)));
}

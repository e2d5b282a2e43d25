//! Text that has a structure of its own: of which kind it is, and where its lines and rows are.

mod kind;
mod lines;
mod table;

pub use kind::{TextKind, array_element, is_array_end};
pub use lines::{Line, count_breaks, is_blank, lines, next_line_start, without_ending};
pub use table::{Row, rows};

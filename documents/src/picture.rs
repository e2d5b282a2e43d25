//! A page as a bitmap.

use crate::block::Bounds;

/// A page, drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PageImage {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four bytes for each pixel: red, green, blue, alpha.
    pub rgba: Vec<u8>,
    /// Where the quotes stand, in pixels.
    pub marks: Vec<Bounds>,
}

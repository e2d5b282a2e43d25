//! Draws the page of a document on which a quote stands, with the quoted words marked.

use std::sync::Arc;

use egui::{Align, ColorImage, Id, Rect, ScrollArea, Sense, TextureHandle, TextureOptions, Ui, pos2, vec2};
use frlm_client::documents::PageImage;
use lucide_icons::Icon;

use super::words;
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::{MARKER, PAPER, space};
use crate::desktop::widgets::{Button, edge, soft};

/// As much of a page as is in sight.
const HEIGHT: f32 = 440.0;
/// One step of the zoom.
const STEP: f32 = 1.25;
/// From the width of the column to four times that.
const MOST: f32 = 4.0;

/// A page as its worker drew it.
#[derive(Debug, Clone)]
pub struct Page {
    /// Counted from 1.
    pub number: u32,
    /// Its bitmap, and the marks on it.
    pub picture: Arc<PageImage>,
}

/// The same bitmap is the same page; others are not compared point by point.
impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && Arc::ptr_eq(&self.picture, &other.picture)
    }
}

impl Eq for Page {}

pub fn page_ui(ui: &mut Ui, page: &Page) {
    let zoom_id = Id::unique("page zoom");
    let mut zoom = ui.data(|data| data.get_temp(zoom_id)).unwrap_or(1.0_f32);
    ui.horizontal(|ui| {
        ui.label(soft(ui, &words::page(page.number)));
        if ui.add(Button::new(words::ZOOM_OUT).icon_only(Icon::ZoomOut)).clicked() {
            zoom = (zoom / STEP).max(1.0);
        }
        if ui.add(Button::new(words::ZOOM_IN).icon_only(Icon::ZoomIn)).clicked() {
            zoom = (zoom * STEP).min(MOST);
        }
    });
    ui.data_mut(|data| data.insert_temp(zoom_id, zoom));
    ui.add_space(space::XS);
    let picture = &page.picture;
    let texture = texture(ui, page);
    ScrollArea::both().id_salt("page").max_height(HEIGHT).auto_shrink([false, true]).show(ui, |ui| {
        let width = ui.available_width() * zoom;
        let points = width / (picture.width as f32).max(1.0);
        let (rect, _) = ui.allocate_exact_size(vec2(width, picture.height as f32 * points), Sense::hover());
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(texture.id(), rect, whole, PAPER);
        ui.painter().rect_stroke(rect, 0.0, edge(tokens(ui), false), egui::StrokeKind::Inside);
        let marks: Vec<Rect> = picture
            .marks
            .iter()
            .map(|mark| {
                let corner = |x: f32, y: f32| rect.min + vec2(x, y) * points;
                Rect::from_min_max(corner(mark.left, mark.top), corner(mark.right, mark.bottom)).expand(1.0)
            })
            .collect();
        for mark in &marks {
            ui.painter().rect_filled(*mark, 2.0, MARKER);
        }
        if is_new(ui, page)
            && let Some(mark) = marks.first()
        {
            ui.scroll_to_rect(*mark, Some(Align::Center));
        }
    });
}

/// Whether this page was not drawn in the frame before: then its marks are brought into sight.
fn is_new(ui: &Ui, page: &Page) -> bool {
    let id = Id::unique("page shown");
    let shown = Arc::as_ptr(&page.picture) as usize;
    let before: Option<usize> = ui.data(|data| data.get_temp(id));
    ui.data_mut(|data| data.insert_temp(id, shown));
    before != Some(shown)
}

/// The bitmap on the graphics card; one page at a time is kept there.
fn texture(ui: &Ui, page: &Page) -> TextureHandle {
    let id = Id::unique("page texture");
    let key = Arc::as_ptr(&page.picture) as usize;
    let kept: Option<(usize, TextureHandle)> = ui.data(|data| data.get_temp(id));
    if let Some((_, texture)) = kept.filter(|(of, _)| *of == key) {
        return texture;
    }
    let size = [page.picture.width as usize, page.picture.height as usize];
    let image = ColorImage::from_rgba_unmultiplied(size, &page.picture.rgba);
    let texture = ui.ctx().load_texture("page", image, TextureOptions::LINEAR);
    ui.data_mut(|data| data.insert_temp(id, (key, texture.clone())));
    texture
}

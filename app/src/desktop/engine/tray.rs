//! The icon in the desktop's tray, while earning may go on without a window. On Linux it speaks
//! StatusNotifierItem over D-Bus, which KDE, Xfce, Cinnamon, Budgie and others show as they are, and
//! GNOME with an extension. A desktop that shows none says so, and the window then stays.

use super::Engine;
use crate::desktop::screens::earn::{Earn, Status};

/// How this machine serves, as far as the tray tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Serving {
    /// It does not.
    #[default]
    Off,
    /// It is about to, or about to end.
    Between,
    /// It does.
    Online,
    /// It goes on by itself.
    Paused,
}

impl Serving {
    /// As the earn screen has it.
    pub fn of(earn: &Earn) -> Self {
        match earn.status {
            Status::Off | Status::Failed(_) => Self::Off,
            Status::Starting | Status::Stopping => Self::Between,
            Status::On { .. } => Self::Online,
            Status::Paused { .. } | Status::Yielding | Status::Resting { .. } => Self::Paused,
        }
    }
}

/// Whether the desktop shows an icon for this app.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tray {
    /// None is wanted.
    #[default]
    Off,
    /// The desktop is asked.
    Asking,
    /// It shows one.
    There,
    /// It does not: why.
    Missing(String),
}

#[cfg(target_os = "linux")]
pub use notifier::TrayManager;

#[cfg(target_os = "linux")]
mod notifier {
    use std::sync::{Arc, Mutex, PoisonError};

    use ksni::blocking::{Handle, TrayMethods as _};
    use ksni::menu::StandardItem;
    use ksni::{Icon, MenuItem, OfflineReason, ToolTip};

    use super::{Engine, Serving, Tray};
    use crate::desktop::command::{Command, Shell};
    use crate::desktop::engine::Event;
    use crate::desktop::screens::earn;
    use crate::desktop::theme::tokens::TRAY;

    /// Width and height of the icon, in pixels.
    const SIDE: i32 = 32;

    /// Keeps the icon, while one is wanted, and what it tells.
    #[derive(Default)]
    pub struct TrayManager {
        kept: Arc<Mutex<Option<Handle<Notifier>>>>,
        /// Never held while the desktop is asked.
        serving: Arc<Mutex<Serving>>,
    }

    impl TrayManager {
        /// From now on the icon tells this.
        pub fn show(&self, serving: Serving, engine: &Engine) {
            *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = serving;
            let (kept, newest) = (Arc::clone(&self.kept), Arc::clone(&self.serving));
            engine.spawn_blocking(move || {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(handle) = &*kept {
                    // Not what was new when this was asked for: of several the last one may come first.
                    let serving = *newest.lock().unwrap_or_else(PoisonError::into_inner);
                    handle.update(|notifier| notifier.serving = serving);
                }
            });
        }

        /// Shows an icon, or takes it away.
        pub fn want(&self, wanted: bool, engine: &Engine) {
            let (kept, newest) = (Arc::clone(&self.kept), Arc::clone(&self.serving));
            if !wanted {
                if let Some(handle) = kept.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    handle.shutdown();
                }
                return;
            }
            let tell = engine.event_sender();
            engine.spawn_blocking(move || {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.as_ref().is_some_and(|handle| !handle.is_closed()) {
                    return;
                }
                let serving = *newest.lock().unwrap_or_else(PoisonError::into_inner);
                let tray = match (Notifier { tell: Arc::clone(&tell), serving }).spawn() {
                    Ok(handle) => {
                        *kept = Some(handle);
                        Tray::There
                    }
                    Err(error) => Tray::Missing(why(&error)),
                };
                tell(Event::Tray(tray));
            });
        }
    }

    /// What is in the way, in words.
    fn why(error: &ksni::Error) -> String {
        match error {
            ksni::Error::Dbus(_) => "this desktop has no session bus, which a tray icon needs".to_owned(),
            ksni::Error::Watcher(_) | ksni::Error::WontShow => {
                "this desktop shows no tray icons (GNOME needs the AppIndicator extension)".to_owned()
            }
            other => frlm_client::protocol::printable(&other.to_string()).into_owned(),
        }
    }

    /// The icon as the tray asks for it.
    struct Notifier {
        tell: Arc<dyn Fn(Event) + Send + Sync>,
        serving: Serving,
    }

    impl Notifier {
        fn item((label, command, enabled): (&str, Command, bool)) -> MenuItem<Self> {
            let activate = move |tray: &mut Self| (tray.tell)(Event::Do(command.clone()));
            let (label, activate) = (label.to_owned(), Box::new(activate));
            StandardItem { label, enabled, activate, ..StandardItem::default() }.into()
        }
    }

    /// What the menu offers, and whether it can be done now: what does nothing is not to be pressed.
    fn offered(serving: Serving) -> [(&'static str, Command, bool); 4] {
        let rests = matches!(serving, Serving::Off | Serving::Paused);
        let (online, paused) = (serving == Serving::Online, serving == Serving::Paused);
        let start = if paused { "Resume earning now" } else { "Go online" };
        [
            ("Open the window", Command::Shell(Shell::Show), true),
            (start, Command::Earn(earn::Action::Start), rests),
            ("Pause for an hour", Command::Earn(earn::Action::Pause(60)), online),
            ("Go offline", Command::Earn(earn::Action::Stop), online || paused),
        ]
    }

    impl ksni::Tray for Notifier {
        fn id(&self) -> String {
            "frlm".to_owned()
        }

        fn title(&self) -> String {
            "FRLM".to_owned()
        }

        fn tool_tip(&self) -> ToolTip {
            let description = match self.serving {
                Serving::Off => "Not earning",
                Serving::Between => "One moment…",
                Serving::Online => "Earning: it continues while the window is closed",
                Serving::Paused => "Paused: it resumes by itself",
            };
            ToolTip { title: self.title(), description: description.to_owned(), ..ToolTip::default() }
        }

        fn icon_pixmap(&self) -> Vec<Icon> {
            vec![Icon { width: SIDE, height: SIDE, data: picture() }]
        }

        fn activate(&mut self, _x: i32, _y: i32) {
            (self.tell)(Event::Do(Command::Shell(Shell::Show)));
        }

        fn menu(&self) -> Vec<MenuItem<Self>> {
            let mut items: Vec<MenuItem<Self>> = offered(self.serving).map(Self::item).into();
            items.extend([
                MenuItem::Separator,
                Self::item(("Quit", Command::Shell(Shell::QuitFromTray), true)),
            ]);
            items
        }

        fn watcher_online(&self) {
            (self.tell)(Event::Tray(Tray::There));
        }

        /// The tray went away: a window that was closed would be out of reach, so it comes back.
        fn watcher_offline(&self, _reason: OfflineReason) -> bool {
            (self.tell)(Event::Tray(Tray::Missing("the desktop's tray is gone".to_owned())));
            (self.tell)(Event::Do(Command::Shell(Shell::Show)));
            true
        }
    }

    /// Three nodes and what joins them, as ARGB32 in network byte order.
    fn picture() -> Vec<u8> {
        const NODES: [(f32, f32); 3] = [(16.0, 7.0), (6.5, 24.0), (25.5, 24.0)];
        const RADIUS: f32 = 4.6;
        const STROKE: f32 = 1.3;
        let covers = |x: f32, y: f32| {
            let near_node = NODES.iter().any(|(left, top)| (x - left).hypot(y - top) <= RADIUS);
            let near_line = (0..3).any(|one| distance((x, y), NODES[one], NODES[(one + 1) % 3]) <= STROKE);
            near_node || near_line
        };
        let pixel = |place: u16| {
            let (x, y) = (f32::from(place % 32) + 0.5, f32::from(place / 32) + 0.5);
            if covers(x, y) { TRAY } else { [0; 4] }
        };
        (0..32 * 32).flat_map(pixel).collect()
    }

    /// From a point to the line between two others.
    fn distance((x, y): (f32, f32), (from_x, from_y): (f32, f32), (to_x, to_y): (f32, f32)) -> f32 {
        let (along_x, along_y) = (to_x - from_x, to_y - from_y);
        let length = along_x.hypot(along_y);
        let share = ((x - from_x) * along_x + (y - from_y) * along_y) / (length * length);
        let share = share.clamp(0.0, 1.0);
        (x - from_x - share * along_x).hypot(y - from_y - share * along_y)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_menu_offers_what_can_be_done() {
            let can = |serving| offered(serving).map(|(_, _, enabled)| enabled);
            assert_eq!(can(Serving::Off), [true, true, false, false]);
            assert_eq!(can(Serving::Between), [true, false, false, false]);
            assert_eq!(can(Serving::Online), [true, false, true, true]);
            assert_eq!(can(Serving::Paused), [true, true, false, true]);
            assert_eq!(offered(Serving::Paused)[1].0, "Resume earning now");
        }

        #[test]
        fn the_icon_has_ink_and_air() {
            let picture = picture();
            assert_eq!(picture.len(), 32 * 32 * 4);
            let inked = picture.chunks(4).filter(|pixel| pixel[0] != 0).count();
            assert!((150..500).contains(&inked), "{inked}");
        }
    }
}

/// Where there is no such tray.
#[cfg(not(target_os = "linux"))]
#[derive(Default)]
pub struct TrayManager;

#[cfg(not(target_os = "linux"))]
impl TrayManager {
    /// Nobody is told.
    pub fn show(&self, _serving: Serving, _engine: &Engine) {}

    /// Says that there is none.
    pub fn want(&self, wanted: bool, engine: &Engine) {
        if wanted {
            let why = "tray icons are not supported on this system yet".to_owned();
            engine.event_sender()(super::Event::Tray(Tray::Missing(why)));
        }
    }
}

//! Prints what the client tells its user on stderr.

use std::fmt::{Debug, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// A layer that prints every event that reaches it, without time and level.
pub struct Print;

impl<S: Subscriber> Layer<S> for Print {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message::default();
        event.record(&mut message);
        note!("{}", message.0);
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing into a String cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

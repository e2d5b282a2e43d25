//! Kinds of events, as the list names them.

use frlm_client::conductor::trace::TraceEvent;
use lucide_icons::Icon;

use crate::desktop::widgets::Tone;

/// Word, icon and meaning of every kind.
pub const KINDS: [(&str, Icon, Tone); 32] = [
    ("Run began", Icon::Play, Tone::Accent),
    ("Run resumed", Icon::Play, Tone::Accent),
    ("Relay connected", Icon::Radio, Tone::Good),
    ("Relay lost", Icon::Radio, Tone::Bad),
    ("Provider seen", Icon::Server, Tone::Plain),
    ("Provider lost", Icon::Server, Tone::Warn),
    ("Planned", Icon::ListTree, Tone::Plain),
    ("Sats reserved", Icon::Coins, Tone::Plain),
    ("Sats spent", Icon::Coins, Tone::Good),
    ("Job assigned", Icon::Send, Tone::Plain),
    ("Job sent", Icon::Send, Tone::Plain),
    ("Provider message", Icon::Activity, Tone::Busy),
    ("Answer received", Icon::CornerDownLeft, Tone::Accent),
    ("Answer failed", Icon::CircleX, Tone::Bad),
    ("No answer in time", Icon::Hourglass, Tone::Warn),
    ("Cancelled", Icon::Undo2, Tone::Plain),
    ("Compared", Icon::Scale, Tone::Accent),
    ("Verified", Icon::ShieldCheck, Tone::Good),
    ("Unanswered", Icon::Ban, Tone::Bad),
    ("Decision", Icon::Split, Tone::Accent),
    ("Not accepted", Icon::CircleDashed, Tone::Plain),
    ("Confidence so far", Icon::Gauge, Tone::Accent),
    ("Routed", Icon::Route, Tone::Plain),
    ("Audited", Icon::ScanSearch, Tone::Accent),
    ("Step assessed", Icon::Brain, Tone::Plain),
    ("Service evaluated", Icon::Brain, Tone::Accent),
    ("Plan chosen", Icon::Brain, Tone::Plain),
    ("Budget raised", Icon::TrendingUp, Tone::Accent),
    ("Sats owed", Icon::Handshake, Tone::Warn),
    ("Question analysed", Icon::Brain, Tone::Plain),
    ("Final check", Icon::ShieldCheck, Tone::Accent),
    ("Cost quoted", Icon::Coins, Tone::Plain),
];

/// The last two are endings.
pub const DONE: (&str, Icon, Tone) = ("Answered", Icon::CircleCheck, Tone::Good);
/// The run failed.
pub const FAILED: (&str, Icon, Tone) = ("Failed", Icon::CircleX, Tone::Bad);

/// Word, icon and meaning of a kind.
pub fn of(kind: u8) -> (&'static str, Icon, Tone) {
    match usize::from(kind) {
        kind if kind < KINDS.len() => KINDS[kind],
        kind if kind == KINDS.len() => DONE,
        _ => FAILED,
    }
}

/// Whether more than the record is behind an event: signed Nostr events that went out or came in, or what the
/// books say of a payment.
pub fn stands_on_more(kind: u8) -> bool {
    matches!(kind, 7..=13 | 15 | 28)
}

/// Whether a signed Nostr event is behind it in any case: about the pay of a job there may be none.
pub fn crossed_a_relay(kind: u8) -> bool {
    stands_on_more(kind) && !matches!(kind, 7 | 8 | 28)
}

/// Whether a verdict on an answer is of this kind: the record itself says whether it is one.
pub fn may_be_a_verdict(kind: u8) -> bool {
    kind == 16
}

/// The kind of an event and the subtask that it is about.
pub fn kind(event: &TraceEvent) -> (u8, Option<u32>) {
    match event {
        TraceEvent::RunStart { .. } => (0, None),
        TraceEvent::RunResume { .. } => (1, None),
        TraceEvent::RelayOnline { .. } => (2, None),
        TraceEvent::RelayOffline { .. } => (3, None),
        TraceEvent::ProviderSeen { .. } => (4, None),
        TraceEvent::ProviderGone { .. } => (5, None),
        TraceEvent::Plan { .. } | TraceEvent::TakenApart { .. } => (6, None),
        TraceEvent::Routed { subtask, .. } => (22, Some(subtask.0)),
        TraceEvent::BudgetReserve { subtask, .. } => (7, Some(subtask.0)),
        TraceEvent::BudgetSettle { subtask, .. } | TraceEvent::PaidUnescrowed { subtask, .. } => {
            (8, Some(subtask.0))
        }
        TraceEvent::SubQuerySubmit { subtask, .. } => (9, Some(subtask.0)),
        TraceEvent::SubQuerySent { subtask, .. } => (10, Some(subtask.0)),
        TraceEvent::SubQueryFeedback { subtask, .. } => (11, Some(subtask.0)),
        TraceEvent::SubQueryReturn { subtask, ok, .. } => (if *ok { 12 } else { 13 }, Some(subtask.0)),
        TraceEvent::SubQueryTimeout { subtask, .. } => (14, Some(subtask.0)),
        TraceEvent::SubQueryCancel { subtask, .. } => (15, Some(subtask.0)),
        TraceEvent::Verify { subtask, .. }
        | TraceEvent::Attested { subtask, .. }
        | TraceEvent::NoVerdict { subtask, .. }
        | TraceEvent::ComparedInWords { subtask, .. }
        | TraceEvent::Validated { subtask, .. }
        | TraceEvent::Arbitrated { subtask, .. } => (16, Some(subtask.0)),
        TraceEvent::Verified { subtask, .. } => (17, Some(subtask.0)),
        TraceEvent::GaveUp { subtask, .. } => (18, Some(subtask.0)),
        TraceEvent::Decision { .. } | TraceEvent::Notice { .. } | TraceEvent::FallbackLocal { .. } => {
            (19, None)
        }
        TraceEvent::Stray { .. } => (20, None),
        TraceEvent::Posterior { subtask, .. } => (21, Some(subtask.0)),
        TraceEvent::Audited { subtask, .. } => (23, Some(subtask.0)),
        TraceEvent::Weighed { .. } => (24, None),
        TraceEvent::Evaluated { .. } | TraceEvent::Clustered { .. } => (25, None),
        TraceEvent::Chosen(_) => (26, None),
        TraceEvent::BudgetRaised { .. } => (27, None),
        TraceEvent::Owed { subtask, .. } => (28, Some(subtask.0)),
        TraceEvent::Analysed(_) => (29, None),
        TraceEvent::FinalCheck { .. } => (30, None),
        TraceEvent::Quoted { .. } => (31, None),
        TraceEvent::RunDone { .. } => (32, None),
        TraceEvent::RunFailed { .. } => (33, None),
    }
}

use std::time::Duration;

use super::*;

type Answers = mpsc::Receiver<(RelayUrl, Verdict)>;

fn outbound() -> Outbound {
    Outbound::new(RelayUrl::parse("ws://127.0.0.1:1").unwrap(), None)
}

fn outgoing(number: u8, deadline: Instant) -> (Outgoing, Answers) {
    let (reply, answers) = mpsc::channel(1);
    let id = EventId::from_byte_array([number; 32]);
    let frame = format!("frame {number}").into();
    let (kind, content, weight) = (Kind::Custom(6050), 3, Weight::Usual);
    (Outgoing { id, kind, content, frame, deadline, weight, reply }, answers)
}

#[test]
fn what_may_be_lost_is_kept_from_a_relay_that_is_short() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let ((minor, mut lost), (other, mut kept)) = (outgoing(1, soon()), outgoing(2, soon()));
    let id = other.id;
    outbound.enqueue(other);
    assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 2");
    outbound.enqueue(Outgoing { weight: Weight::Minor, ..minor });
    outbound.answered(&id, false, "rate-limited: 20 a minute", false, now);
    let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
    assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 2");
    assert!(outbound.take_next(at + Duration::from_secs(1)).is_err());
    assert!(matches!(lost.try_recv().unwrap().1, Verdict::Refused(words) if words == LEFT_OUT));
    assert!(kept.try_recv().is_err());
    // A relay that has not complained for long takes everything.
    let much_later = at + Duration::from_mins(30);
    let (minor, _answers) = outgoing(3, much_later + Duration::from_secs(10));
    outbound.enqueue(Outgoing { weight: Weight::Minor, ..minor });
    assert_eq!(outbound.take_next(much_later).unwrap().as_str(), "frame 3");
}

#[test]
fn a_sign_of_life_goes_first_at_a_relay_that_is_short_and_only_the_newest() {
    let (mut outbound, now) = (outbound(), Instant::now());
    outbound.slow_down(now);
    let mut enqueue = |number: u8, weight| {
        let (event, answers) = outgoing(number, soon());
        let kind = if weight == Weight::Vital { Kind::Custom(31991) } else { event.kind };
        outbound.enqueue(Outgoing { kind, weight, ..event });
        answers
    };
    let _kept: Vec<Answers> = (1..=3).map(|number| enqueue(number, Weight::Wanted)).collect();
    let mut older = enqueue(4, Weight::Vital);
    let _newer = enqueue(5, Weight::Vital);
    assert!(matches!(older.try_recv().unwrap().1, Verdict::Refused(words) if words == REPLACED));
    let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
    assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 5");
    let later = at + Duration::from_millis(100);
    assert_eq!(outbound.take_next(later).unwrap().as_str(), "frame 1");
}

#[test]
fn a_result_goes_before_waiting_refusals_and_leaves_them_one_of_four() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let mut enqueue = |number: u8, weight| {
        let (event, answers) = outgoing(number, soon());
        outbound.enqueue(Outgoing { weight, ..event });
        answers
    };
    let _refusals: Vec<Answers> = (1..=3).map(|number| enqueue(number, Weight::Usual)).collect();
    let _results: Vec<Answers> = (11..=15).map(|number| enqueue(number, Weight::Wanted)).collect();
    let order: Vec<String> =
        std::iter::from_fn(|| outbound.take_next(now).ok()).map(|frame| frame.to_string()).collect();
    let numbers = [11, 12, 13, 1, 14, 15, 2, 3].map(|number| format!("frame {number}"));
    assert_eq!(order, numbers);
}

#[test]
fn an_answer_without_an_id_is_that_of_the_only_event_that_is_out() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let (first, mut answers) = outgoing(1, soon());
    outbound.enqueue(first);
    outbound.take_next(now).unwrap();
    outbound.answered_without_id(false, "invalid: too large", false, now);
    assert!(
        matches!(answers.try_recv().unwrap().1, Verdict::Refused(words) if words == "invalid: too large")
    );
    outbound.answered_without_id(false, "invalid: too large", false, now);
}

#[test]
fn events_that_an_answer_without_an_id_may_mean_are_sent_one_by_one() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let ((first, mut one), (second, mut other)) = (outgoing(1, soon()), outgoing(2, soon()));
    let id = second.id;
    outbound.enqueue(first);
    outbound.enqueue(second);
    assert!(outbound.take_next(now).is_ok() && outbound.take_next(now).is_ok());
    for _ in 0..2 {
        outbound.answered_without_id(false, "invalid: too large", false, now);
    }
    assert!(one.try_recv().is_err() && other.try_recv().is_err(), "nobody knows whose that was");
    let at = outbound.take_next(now).unwrap_err().unwrap();
    assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 1");
    assert!(outbound.take_next(at).is_err(), "one at a time");
    outbound.answered_without_id(false, "invalid: too large", false, at);
    assert!(matches!(one.try_recv().unwrap().1, Verdict::Refused(_)));
    assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 2");
    outbound.answered(&id, true, "", false, at);
    assert!(matches!(other.try_recv().unwrap().1, Verdict::Accepted));
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

#[test]
fn unanswered_events_are_sent_again_after_a_lost_connection() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let (first, mut answers) = outgoing(1, soon());
    let id = first.id;
    outbound.enqueue(first);
    assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 1");
    assert!(outbound.take_next(now).is_err());
    outbound.disconnected();
    assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 1");
    outbound.answered(&id, false, "duplicate: have it", false, now);
    assert!(matches!(answers.try_recv().unwrap().1, Verdict::Accepted));
    assert!(outbound.entries.is_empty());
}

#[test]
fn a_rate_limited_event_waits_and_is_sent_again() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let (first, mut answers) = outgoing(1, soon());
    let id = first.id;
    outbound.enqueue(first);
    outbound.take_next(now).unwrap();
    outbound.answered(&id, false, "rate-limited: slow down", false, now);
    let at = outbound.take_next(now).unwrap_err().unwrap();
    assert!(at > now && answers.try_recv().is_err());
    assert_eq!(outbound.take_next(at + Duration::from_millis(50)).unwrap().as_str(), "frame 1");
    outbound.answered(&id, false, "rate-limited: slow down", false, at + Duration::from_secs(1));
    outbound.expire(soon() + Duration::from_secs(1));
    let (_, verdict) = answers.try_recv().unwrap();
    assert!(matches!(verdict, Verdict::Refused(words) if words == "rate-limited: slow down"));
}

#[test]
fn an_event_that_a_relay_may_have_is_not_called_refused() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let (first, mut answers) = outgoing(1, soon());
    let id = first.id;
    outbound.enqueue(first);
    outbound.take_next(now).unwrap();
    outbound.answered(&id, false, "rate-limited: slow down", false, now);
    let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
    outbound.take_next(at).unwrap();
    outbound.expire(soon() + Duration::from_secs(1));
    assert!(matches!(answers.try_recv().unwrap().1, Verdict::Unanswered), "it is out");
}

#[test]
fn events_wait_for_authentication_only_when_it_is_possible() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let (first, mut answers) = outgoing(1, soon());
    let id = first.id;
    outbound.enqueue(first);
    outbound.take_next(now).unwrap();
    outbound.answered(&id, false, "auth-required: who are you", true, now);
    assert!(outbound.take_next(now).is_err());
    outbound.release();
    outbound.take_next(now).unwrap();
    outbound.answered(&id, false, "auth-required: who are you", false, now);
    assert!(matches!(answers.try_recv().unwrap().1, Verdict::Refused(_)));
}

#[test]
fn a_message_over_the_relays_limit_is_refused_without_being_sent() {
    let limits = RelayLimits::default();
    let message = RelayLimits { max_message_length: Some(3), ..limits };
    let content = RelayLimits { max_content_length: Some(2), ..limits };
    for (limits, said) in [(message, "7 bytes and"), (content, "3 characters and")] {
        let mut outbound = outbound();
        outbound.apply_limits(limits);
        let (first, mut answers) = outgoing(1, soon());
        outbound.enqueue(first);
        assert!(outbound.take_next(Instant::now()).is_err());
        let Verdict::Refused(words) = answers.try_recv().unwrap().1 else { panic!("it is too large") };
        assert!(words.contains(said), "{words}");
    }
}

#[test]
fn a_refused_kind_is_tried_again_later_and_a_refused_event_stays_alone() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let mut publish = |number, at, words: &str| {
        let (event, _answers) = outgoing(number, at + Duration::from_secs(10));
        let id = event.id;
        outbound.enqueue(event);
        let is_sent = outbound.take_next(at).is_ok();
        outbound.answered(&id, words.is_empty(), words, false, at);
        is_sent
    };
    for number in 0..10 {
        assert!(publish(number, now, "invalid: larger than 100 bytes"), "the next one may be smaller");
    }
    assert!(publish(10, now, "blocked: kind 6050") && !publish(11, now, ""));
    assert!(publish(12, now + REFUSED_FOR, ""));
    assert!(publish(13, now + REFUSED_FOR, ""), "it takes the kind");
}

#[test]
fn the_same_event_published_twice_is_sent_once_and_answered_twice() {
    let (mut outbound, now) = (outbound(), Instant::now());
    let ((first, mut a), (second, mut b)) = (outgoing(1, soon()), outgoing(1, soon()));
    let id = first.id;
    outbound.enqueue(first);
    outbound.enqueue(second);
    outbound.take_next(now).unwrap();
    assert!(outbound.take_next(now).is_err());
    outbound.answered(&id, true, "", false, now);
    assert!(a.try_recv().is_ok() && b.try_recv().is_ok());
}

//! Prints how fast events get through the embedded relay on this machine.
//!
//! `cargo run --release -p frlm-relay --example relay_floor [EVENTS] [IN_FLIGHT] [PAYLOAD_BYTES]`

use std::error::Error;

use frlm_relay::measure_floor;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut next = |default: usize| numbers.next().unwrap_or(Ok(default));
    let (events, in_flight, payload_bytes) = (next(20_000)?, next(256)?, next(2048)?);
    let floor = measure_floor(events, in_flight, payload_bytes).await?;
    println!("publish → accepted → received, {events} events of {payload_bytes} bytes");
    println!("{in_flight:>4} in flight   {:>8.0} events/s", floor.events_per_second);
    println!(
        "one at a time   {:>8.2} ms median, {:.2} ms p99",
        floor.median_latency.as_secs_f64() * 1e3,
        floor.p99_latency.as_secs_f64() * 1e3
    );
    Ok(())
}

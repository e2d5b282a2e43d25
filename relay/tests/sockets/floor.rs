//! The measuring function that benchmarks start from.

use frlm_relay::measure_floor;

#[tokio::test(flavor = "multi_thread")]
async fn the_floor_is_measured() {
    let floor = measure_floor(500, 64, 512).await.unwrap();
    assert_eq!((floor.events, floor.in_flight, floor.payload_bytes), (500, 64, 512));
    assert!(floor.events_per_second > 0.0);
    assert!(floor.median_latency <= floor.p99_latency);
}

//! What a frame of the run screen costs, without a display; with `--quick`, over a tenth of the events.

fn main() -> anyhow::Result<()> {
    frlm_app::frames::run(std::env::args().any(|word| word == "--quick"))
}

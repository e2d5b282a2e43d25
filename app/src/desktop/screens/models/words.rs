//! What is said on the models screen.

use frlm_client::units::{bytes, lasting, thousands};

use super::state::{Info, Speed};
pub use crate::desktop::screens::words::*;

words! {
    TITLE = "Models";
    SUBTITLE = "Your own model writes answers in words, answers when no provider is online, and can earn.";
    LOOKING = "Looking for models…";
    UNLISTED = "The models cannot be listed";
    unlisted(why: &str) = "{why}. No model was opened.";

    // The models
    NO_OWN = "No model of your own yet. Open one below, or download one. It is then listed here, with whether it fits this \
              machine's memory.";
    listed_from(folder: &str) = "GGUF files in {folder} are listed here.";
    FOR_QUESTIONS = "for questions";
    FOR_EARNING = "for earning";
    about(about: &str, fit: &str) = "{about}; {fit}";
    UNUSABLE = "cannot be used";
    BUILT_IN = "built in";
    ENDPOINT = "endpoint";
    FOLDER = "folder";
    try_it(model: &str) = "Try {model}";
    USE_FOR_QUESTIONS = "Use for my questions";
    STOP_FOR_QUESTIONS = "Stop using for my questions";
    QUESTIONS_HINT = "for answers in words, and when no provider is online";
    USE_FOR_EARNING = "Use for earning";
    STOP_FOR_EARNING = "Stop using for earning";
    EARNING_HINT = "what Earn offers to others";
    CHANGED_NOT_LISTED = "the settings were changed, but the models cannot be listed";

    // Another file or endpoint
    OTHER = "Your own file or endpoint";
    OTHER_ABOUT = "A GGUF file, a folder with safetensors, or an OpenAI-compatible endpoint. Put the endpoint's key into an \
                   environment variable and add ?key_env=NAME before the #.";
    ADDRESS = "Path or address";
    ADDRESS_EXAMPLE = "/models/qwen3-4b.gguf or http://127.0.0.1:8080/v1#qwen3-4b";
    BROWSE = "Browse";
    CHOOSE = "A model";
    OPEN = "Open";

    // Download
    DOWNLOAD_TITLE = "Download a model";
    DOWNLOAD_ABOUT = "FRLM downloads a GGUF file from an address that you trust into the models folder. An interrupted \
                      download resumes. If you give the sha256 that the publisher names, FRLM deletes a file with another \
                      one.";
    URL = "Address of the file";
    URL_EXAMPLE = "https://HOST/qwen3-4b.gguf";
    SHA256 = "sha256 of the file";
    SHA256_EXAMPLE = "64 digits; if empty, not checked";
    STOP_DOWNLOAD_HINT = "the part already downloaded is kept";
    RESUME = "Resume";
    DOWNLOAD = "Download";
    ASKING = "Asking the server…";
    HERE = "here";
    stopped(done: u64) = "Stopped; {} are kept, and the download resumes from there.", bytes(done);
    DOWNLOADED = "Downloaded";
    DOWNLOADED_CHECKED = "Downloaded; the sha256 matches";
    unchecked(path: &str, sha256: &str) = "{path}. No sha256 was given to check it; the file's is {sha256}.";
    NOT_DOWNLOADED = "The download failed";

    // Chat
    CHAT = "Chat";
    CHAT_ABOUT = "Open a model to talk to it here. Nothing goes to a relay.";
    opening(model: &str) = "Opening {model}… A large file takes minutes the first time it is read.";
    not_opened(model: &str) = "{model} cannot be opened";
    opened(info: &Info, format: &str) = "{format}{} tokens of context, {} at once, opened in {}",
        thousands(info.context_tokens), thousands(info.concurrency), lasting(info.opening_ms);
    format(format: &str) = "{format}, ";
    CLOSE = "Close";
    MESSAGE = "Message";
    SEND = "Send";
    YOU = "You";
    THE_MODEL = "The model";
    WRITING = "Writing…";
    STOPPED = "stopped";
    NO_ANSWER = "the engine stopped without an answer";
    first_token(speed: &Speed) = "first token after {}", lasting(speed.first_ms);
    tokens(speed: &Speed) = "{} tokens read, {} written", thousands(speed.prompt_tokens), thousands(speed.tokens);
    rate(first: &str, rate: f64, tokens: &str) = "{first}, then {rate:.1} tokens/s; {tokens}";
    no_rate(first: &str, tokens: &str) = "{first}; {tokens}";
}

/// How fast an answer came.
pub fn speed(speed: &Speed) -> String {
    let (first, tokens) = (first_token(speed), tokens(speed));
    speed.tokens_per_second().map_or_else(|| no_rate(&first, &tokens), |fast| rate(&first, fast, &tokens))
}

//! Why a request got no answer, in the form that clients of OpenAI's interface read.

use std::time::Duration;

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use frlm_client::learning::routing::production::OverLimit;
use frlm_client::protocol::printable;
use serde_json::{Value, json};

use frlm_client::failure::render_error;

/// An error on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    /// OpenAI's name of the sort.
    kind: &'static str,
    code: &'static str,
    message: String,
    /// The field of the request that it is about.
    param: Option<String>,
    again_in: Option<Duration>,
}

impl Refusal {
    fn new(status: StatusCode, kind: &'static str, code: &'static str, message: impl Into<String>) -> Self {
        let message = printable(&message.into()).into_owned();
        Self { status, kind, code, message, param: None, again_in: None }
    }

    /// The request makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "invalid_request", message)
    }

    /// A field of the request, or its value, cannot be honoured.
    pub fn field(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(message).at(param)
    }

    /// The request is longer than what is taken. The words name the limit.
    pub fn too_large(what: &str, most_bytes: u64, instead: &str) -> Self {
        let message = format!(
            "{what} is larger than {} MiB ({most_bytes} bytes), the most that is taken here: {instead}",
            most_bytes >> 20
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", "request_too_large", message)
    }

    /// The same, about a field of the request.
    #[must_use]
    pub fn at(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// Nobody knows the caller.
    pub fn unknown_caller(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", "invalid_api_key", message)
    }

    /// The caller may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_error", "forbidden", message)
    }

    /// There is no such thing here.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", "not_found", message)
    }

    /// Too many questions wait already.
    pub fn busy(message: impl Into<String>) -> Self {
        let again_in = Some(Duration::from_secs(5));
        Self { again_in, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", "busy", message) }
    }

    /// The service stops.
    pub fn stopping() -> Self {
        let message = "the service was stopped; nothing more is spent on this question";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", "stopping", message)
    }

    /// Something that the caller did not cause.
    pub fn fault(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "failed", message)
    }

    /// Which sort it is, in a word.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Why, for people. It may quote what was asked.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The body of the response.
    pub fn body(&self) -> Value {
        json!({ "error": { "message": self.message, "type": self.kind, "param": self.param, "code": self.code } })
    }
}

impl From<OverLimit> for Refusal {
    fn from(over: OverLimit) -> Self {
        let (status, kind) = (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error");
        Self {
            again_in: Some(over.again_in),
            ..Self::new(status, kind, "rate_limit_exceeded", over.to_string())
        }
    }
}

/// By the exit codes of the command contract (design.md, section 3).
impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        let (message, code) = render_error(&error);
        match code {
            2 => Self::invalid(message),
            3 => Self::new(StatusCode::PAYMENT_REQUIRED, "budget_error", "over_budget", message),
            4 => Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", "no_providers", message),
            5 => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Self::new(status, "verification_error", "not_verified", message)
            }
            130 => Self::stopping(),
            _ => Self::fault(message),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if let Some(again_in) = self.again_in {
            let secs = again_in.as_secs() + u64::from(again_in.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        response
    }
}

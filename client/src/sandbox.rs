//! Programs that somebody else wrote, in a worker process that is this very program
//! (docs/decisions/0016-programs-in-a-worker.md).

use std::process::ExitCode;
use std::sync::Arc;

use frlm_verifier::validation::program::CodeRunner;

/// What runs programs; `None` in a build without a sandbox.
pub fn runner() -> Option<Arc<dyn CodeRunner>> {
    built_in::runner()
}

/// Whether a check that the user wrote is a program at all. What it says is seen when there are answers.
pub fn compiles(check: &str) -> Result<(), String> {
    built_in::compiles(check)
}

/// The argument that makes this program a worker. No command of the command line: nobody types it.
#[cfg(feature = "sandbox")]
pub const WORKER: &str = "sandbox-worker";

/// Whether this process is a worker: then it has done its work and is to end like this.
pub fn work_if_asked() -> Option<ExitCode> {
    built_in::work_if_asked()
}

#[cfg(feature = "sandbox")]
mod built_in {
    use std::process::ExitCode;
    use std::sync::Arc;

    use frlm_sandbox::{Limits, Program, Sandbox, SandboxError};
    use frlm_verifier::validation::program::{CodeError, CodeRunner, Ran};
    use serde_json::Value;

    use super::WORKER;

    struct Workers(Sandbox);

    impl CodeRunner for Workers {
        fn run(&self, code: &str, inputs: &[(&str, Value)]) -> Result<Ran, CodeError> {
            let inputs = inputs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            match self.0.run(&Program { code: code.to_owned(), inputs }) {
                Ok(ran) => Ok(Ran { output: ran.output(), truth: ran.truth }),
                Err(error) if error.is_the_programs() => Err(CodeError::Wrong(error.to_string())),
                Err(error) => Err(CodeError::Unclear(error.to_string())),
            }
        }
    }

    fn workers() -> std::io::Result<Sandbox> {
        Sandbox::of_this_program(WORKER, Limits::default())
    }

    pub fn runner() -> Option<Arc<dyn CodeRunner>> {
        workers().ok().map(|sandbox| Arc::new(Workers(sandbox)) as Arc<dyn CodeRunner>)
    }

    pub fn compiles(check: &str) -> Result<(), String> {
        let sandbox = workers().map_err(|error| format!("programs cannot be run here: {error}"))?;
        // Nothing of it runs: a function's body is only read.
        let body = check.replace('\n', "\n    ");
        match sandbox.run(&Program::new(format!("def check(answer, output):\n    pass\n    {body}\n"))) {
            Ok(_) => Ok(()),
            Err(SandboxError::Failed(why)) => Err(format!("it is no program: {why}")),
            Err(error) => Err(error.to_string()),
        }
    }

    pub fn work_if_asked() -> Option<ExitCode> {
        let asked = std::env::args_os().nth(1).is_some_and(|first| first == WORKER);
        asked.then(frlm_sandbox::worker::serve)
    }
}

#[cfg(not(feature = "sandbox"))]
mod built_in {
    use std::process::ExitCode;
    use std::sync::Arc;

    use frlm_verifier::validation::program::CodeRunner;

    pub fn runner() -> Option<Arc<dyn CodeRunner>> {
        None
    }

    pub fn compiles(_check: &str) -> Result<(), String> {
        Err("this build runs no programs (feature sandbox); check with a JSON schema instead".to_owned())
    }

    pub fn work_if_asked() -> Option<ExitCode> {
        None
    }
}

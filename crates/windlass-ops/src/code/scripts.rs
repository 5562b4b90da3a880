//! Where scripts of this process run.

use windlass_core::{Error, Result};
use windlass_sandbox::{Limits, Pool, PoolOptions, WorkerCommand};

use super::sdk;
use crate::config::CodeConfig;
use crate::job_host::Machine;

/// Where scripts of this process run.
pub struct Scripts {
    pool: Pool,
    config: CodeConfig,
}

impl Scripts {
    /// No worker is started yet.
    pub fn new(worker: WorkerCommand, config: CodeConfig) -> Self {
        let methods = sdk::methods().iter().map(|it| it.method.clone());
        let options = PoolOptions {
            most: config.max_workers,
            ..PoolOptions::default()
        };
        Self {
            pool: Pool::new(worker, methods.collect(), options),
            config,
        }
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Starts a worker that waits for the first script. To be called within a runtime.
    pub fn warm(&self) {
        self.pool.warm();
    }

    /// The limits of a script that asks for this much time.
    pub fn limits(&self, timeout_ms: Option<u64>) -> Result<Limits> {
        let mut limits = self.config.limits();
        if let Some(timeout_ms) = timeout_ms {
            let most = self.config.longest_timeout();
            let timeout = std::time::Duration::from_millis(timeout_ms);
            if timeout.is_zero() || timeout > most {
                let most = most.as_millis();
                return Err(Error::validation(
                    "timeout_ms",
                    format!("must be 1 to {most}"),
                ));
            }
            limits.timeout = timeout;
        }
        Ok(limits)
    }
}

/// Starts a process for scripts, and returns whether the system restricts it.
pub async fn check_script_jail(machine: &Machine) -> Result<bool> {
    let scripts = Scripts::new(machine.worker.clone(), CodeConfig::default());
    scripts.pool.check_jail().await.map_err(|problem| {
        Error::internal(format!("no process for scripts can be started: {problem}"))
    })
}

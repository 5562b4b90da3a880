//! Repeats requests that failed for a reason that passes.

use std::time::Duration;

use super::HostError;

/// How a request failed.
#[derive(Debug)]
pub enum Failed {
    /// It may be repeated, not before this time has passed if the service said one.
    Again(HostError, Option<Duration>),
    /// Repeating it would fail again.
    Finally(HostError),
}

/// How often and how long requests are repeated.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// Tries in all.
    pub tries: u32,
    /// The pause after the first; each one is twice as long.
    pub first: Duration,
    /// The longest pause of our own.
    pub longest: Duration,
    /// The longest pause that a service may ask for.
    pub longest_asked: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            tries: 8,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(20),
            longest_asked: Duration::from_mins(65),
        }
    }
}

impl Backoff {
    /// Counts the tries of one request.
    pub fn begin(self) -> Tries {
        Tries {
            backoff: self,
            tried: 0,
        }
    }

    /// The pause after so many tries. Half of it is random, so that many runs do not ask in step.
    fn pause(self, tried: u32) -> Duration {
        let whole = self.first * 2u32.saturating_pow(tried.saturating_sub(1).min(16));
        let whole = whole.min(self.longest);
        let random = uuid::Uuid::new_v4().as_bytes()[0];
        whole / 2 + whole / 2 * u32::from(random) / 255
    }
}

/// The tries of one request.
#[derive(Debug)]
pub struct Tries {
    backoff: Backoff,
    tried: u32,
}

impl Tries {
    /// Waits until the request may be tried again; returns the error if it may not.
    pub async fn after(&mut self, failed: Failed) -> Result<(), HostError> {
        let (problem, asked) = match failed {
            Failed::Finally(problem) => return Err(problem),
            Failed::Again(problem, asked) => (problem, asked),
        };
        self.tried += 1;
        let is_too_long = asked.is_some_and(|asked| asked > self.backoff.longest_asked);
        if self.tried >= self.backoff.tries || is_too_long {
            return Err(problem);
        }
        let own = self.backoff.pause(self.tried);
        tokio::time::sleep(asked.unwrap_or(own)).await;
        Ok(())
    }
}

/// Pauses between questions about a run: short while something happens, longer while nothing does.
#[derive(Debug)]
pub struct Pace {
    shortest: Duration,
    longest: Duration,
    now: Duration,
}

impl Pace {
    pub fn new(shortest: Duration, longest: Duration) -> Self {
        Self {
            shortest,
            longest: longest.max(shortest),
            now: shortest,
        }
    }

    /// Waits. `is_new` says whether the last answer brought anything.
    pub async fn wait(&mut self, is_new: bool) {
        self.now = if is_new {
            self.shortest
        } else {
            (self.now * 3 / 2).min(self.longest)
        };
        tokio::time::sleep(self.now).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(asked: Option<Duration>) -> Failed {
        Failed::Again(HostError::new("busy"), asked)
    }

    #[tokio::test]
    async fn what_passes_is_repeated_and_the_rest_is_not() {
        let backoff = Backoff {
            tries: 3,
            first: Duration::from_millis(1),
            longest_asked: Duration::from_secs(1),
            ..Backoff::default()
        };
        let mut tries = backoff.begin();
        assert_eq!(tries.after(again(None)).await, Ok(()));
        let (begin, asked) = (std::time::Instant::now(), Duration::from_millis(30));
        assert_eq!(tries.after(again(Some(asked))).await, Ok(()));
        assert!(begin.elapsed() >= asked);
        let busy = Err(HostError::new("busy"));
        assert_eq!(tries.after(again(None)).await, busy, "tried often enough");
        let mut tries = backoff.begin();
        let too_long = Some(Duration::from_secs(2));
        assert_eq!(tries.after(again(too_long)).await, busy);
        let no = Failed::Finally(HostError::new("no"));
        assert_eq!(tries.after(no).await, Err(HostError::new("no")));
    }
}

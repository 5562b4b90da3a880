//! What the engine costs compared to bare processes.

use std::time::Instant;

use windlass_runs::record::RunStatus;

use crate::{Project, local};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_steps_cost_little_more_than_a_hundred_processes() {
    let project = Project::new();
    project.options.supervisor.warm().unwrap();
    let start = Instant::now();
    for _ in 0..100 {
        let status = std::process::Command::new("bash")
            .args([
                "--noprofile",
                "--norc",
                "-e",
                "-o",
                "pipefail",
                "-c",
                "true",
            ])
            .status();
        assert!(status.unwrap().success());
    }
    let bare = start.elapsed();
    let start = Instant::now();
    let record = project.run(local(&["true"; 100])).await;
    let run = start.elapsed();
    assert_eq!(record.status(), RunStatus::Success);
    assert_eq!(record.steps().len(), 100);
    println!(
        "100 steps {run:?}, 100 processes {bare:?}: {:.2}",
        run.as_secs_f64() / bare.as_secs_f64()
    );
    // This is not a measurement (the benches do that) but a guard against a large regression.
    assert!(run < bare * 10, "{run:?} {bare:?}");
}

//! Leases: one holder at a time, whoever's clock is wrong.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _};
use windlass_core::Timestamp;
use windlass_sync::claims::{Acquired, Holder, Leases, Renewed};
use windlass_sync::remote::Remote;

use crate::places::{everywhere, memory};

const LONG: Duration = Duration::from_mins(10);

fn holder(name: &str) -> Holder {
    Holder {
        owner: name.to_owned(),
        machine: format!("{name}-machine"),
        nonce: format!("nonce-of-{name}"),
    }
}

fn busy_with(acquired: &Acquired) -> Option<String> {
    match acquired {
        Acquired::Held(_) | Acquired::Contested => None,
        Acquired::Busy(busy) => Some(busy.record.label()),
    }
}

#[tokio::test]
async fn one_of_many_gets_a_lease() {
    for place in everywhere() {
        let leases = Leases::new(place.remote.clone());
        for round in 0..5 {
            let name = format!("task-{round}");
            let tries = (0..8).map(|number| {
                let (leases, name) = (leases.clone(), name.clone());
                async move {
                    leases
                        .acquire(&name, &holder(&number.to_string()), LONG)
                        .await
                }
            });
            let all = join_all(tries).await;
            let held = all
                .iter()
                .filter(|it| matches!(it, Ok(Acquired::Held(_))))
                .count();
            assert!(held <= 1, "{}: {all:?}", place.name);
            // A moment later somebody has it.
            let after = leases.acquire(&name, &holder("late"), LONG).await.unwrap();
            assert_eq!(held == 1, busy_with(&after).is_some(), "{}", place.name);
        }
    }
}

/// Whoever comes first to a lease that was given back gets it, however many others come: nobody goes
/// on without one because of them.
#[tokio::test]
async fn one_of_very_many_gets_a_lease_that_was_given_back() {
    for place in everywhere() {
        let leases = Leases::new(place.remote.clone());
        for round in 0..3 {
            let name = format!("task-{round}");
            let before = holder("before");
            let taken = leases.acquire(&name, &before, LONG).await.unwrap();
            assert!(matches!(taken, Acquired::Held(_)), "{}", place.name);
            leases.release(&name, &before.nonce).await.unwrap();
            let tries = (0..40).map(|number| {
                let (leases, name) = (leases.clone(), name.clone());
                let holder = holder(&number.to_string());
                async move { leases.acquire(&name, &holder, LONG).await.unwrap() }
            });
            let all = join_all(tries).await;
            let held = all.iter().filter(|it| matches!(it, Acquired::Held(_)));
            assert_eq!(held.count(), 1, "{}: {all:?}", place.name);
        }
    }
}

#[tokio::test]
async fn a_lease_is_renewed_given_back_and_taken_again() {
    for place in everywhere() {
        let leases = Leases::new(place.remote.clone());
        let (one, two) = (holder("one"), holder("two"));
        let Acquired::Held(first) = leases.acquire("task", &one, LONG).await.unwrap() else {
            panic!("{}: free", place.name);
        };
        let other = leases.acquire("task", &two, LONG).await.unwrap();
        assert_eq!(busy_with(&other).as_deref(), Some("one@one-machine"));
        let Renewed::Held(second) = leases.renew("task", &one, first, LONG).await.unwrap() else {
            panic!("{}: still its own", place.name);
        };
        assert!(second > first);
        // A lease of another is left alone.
        leases.release("task", &two.nonce).await.unwrap();
        let other = leases.acquire("task", &two, LONG).await.unwrap();
        assert!(busy_with(&other).is_some(), "{}", place.name);
        assert_eq!(leases.recently_taken(LONG).await.unwrap(), ["task"]);
        leases.release("task", &one.nonce).await.unwrap();
        assert!(leases.recently_taken(LONG).await.unwrap().is_empty());
        let taken = leases.acquire("task", &two, LONG).await.unwrap();
        assert_eq!(busy_with(&taken), None, "{}", place.name);
        // The first holder finds out, whichever generation it remembers.
        for old in [first, second] {
            let lost = leases.renew("task", &one, old, LONG).await.unwrap();
            let Renewed::Lost(Some(busy)) = lost else {
                panic!("{}: {lost:?}", place.name);
            };
            assert_eq!(busy.record.label(), "two@two-machine");
        }
        // A person ends it, whoever holds it.
        leases.release_of_anyone("task").await.unwrap();
        let taken = leases.acquire("task", &one, LONG).await.unwrap();
        assert_eq!(busy_with(&taken), None, "{}", place.name);
    }
}

fn with_clock(remote: &Remote, minutes: i64) -> Leases {
    let clock = Arc::new(move || Timestamp::now().as_millis() + minutes * 60_000);
    Leases::new(remote.clone().with_clock(clock))
}

#[tokio::test]
async fn a_lease_ends_by_the_clock_of_the_store() {
    for place in everywhere() {
        let lease = Duration::from_secs(6);
        let right = with_clock(&place.remote, 0);
        let ahead = with_clock(&place.remote, 20);
        let behind = with_clock(&place.remote, -20);
        // The holder's clock does not matter either.
        let taken = behind.acquire("task", &holder("one"), lease).await.unwrap();
        assert_eq!(busy_with(&taken), None);
        let early = ahead.acquire("task", &holder("two"), lease).await.unwrap();
        assert!(busy_with(&early).is_some(), "{}: a clock ahead", place.name);
        tokio::time::sleep(Duration::from_secs(8)).await;
        // A clock that is behind is only late.
        let late = behind.acquire("task", &holder("three"), lease).await;
        assert!(busy_with(&late.unwrap()).is_some(), "{}", place.name);
        let now = right.acquire("task", &holder("two"), LONG).await.unwrap();
        assert_eq!(busy_with(&now), None, "{}: expired", place.name);
        let lost = right.renew("task", &holder("one"), 1, lease).await.unwrap();
        assert!(matches!(lost, Renewed::Lost(Some(_))), "{}", place.name);
    }
}

/// Otherwise a claim that is continued would end at the time of its first request.
#[tokio::test]
async fn taking_the_own_lease_again_renews_it() {
    for place in everywhere() {
        let leases = Leases::new(place.remote.clone());
        let one = holder("one");
        let lease = Duration::from_secs(6);
        for expected in 1..=2 {
            let taken = leases.acquire("task", &one, lease).await.unwrap();
            assert_eq!(taken, Acquired::Held(expected), "{}", place.name);
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
        // Eight seconds after the first request, four after the second.
        let other = leases.acquire("task", &holder("two"), lease).await.unwrap();
        assert!(busy_with(&other).is_some(), "{}", place.name);
    }
}

/// Whoever looked long ago may create a generation that was removed since.
#[tokio::test]
async fn a_generation_of_the_past_takes_nothing() {
    let place = memory();
    let leases = Leases::new(place.remote.clone());
    let one = holder("one");
    let Acquired::Held(mut generation) = leases.acquire("task", &one, LONG).await.unwrap() else {
        panic!("free");
    };
    for _ in 0..3 {
        let Renewed::Held(next) = leases.renew("task", &one, generation, LONG).await.unwrap()
        else {
            panic!("its own");
        };
        generation = next;
    }
    // The first is gone, so that creating it succeeds, and is noticed.
    let other = leases.acquire("task", &holder("two"), LONG).await.unwrap();
    assert_eq!(busy_with(&other).as_deref(), Some("one@one-machine"));
    let kept = leases.renew("task", &one, generation, LONG).await.unwrap();
    assert_eq!(kept, Renewed::Held(generation + 1));
    // A holder that was asleep, and whose generation was taken and removed since.
    let ghost = leases
        .renew("task", &holder("asleep"), 1, LONG)
        .await
        .unwrap();
    assert!(matches!(ghost, Renewed::Lost(Some(_))), "{ghost:?}");
    let kept = leases
        .renew("task", &one, generation + 1, LONG)
        .await
        .unwrap();
    assert_eq!(kept, Renewed::Held(generation + 2));
}

#[tokio::test]
async fn objects_that_are_not_leases_do_no_harm() {
    let store: Arc<dyn ObjectStore> = Arc::new(object_store::memory::InMemory::new());
    let remote = Remote::over("memory".to_owned(), Arc::clone(&store), Key::default());
    for (key, text) in [
        ("claims/task/notes.txt", "x"),
        ("claims/task/99999999999999", "x"),
        ("claims/task/0000000001/deeper", "x"),
        ("claims/stray", "x"),
        ("claims/other/0000000001", "{ not json"),
    ] {
        store.put(&Key::from(key), text.into()).await.unwrap();
    }
    let leases = Leases::new(remote);
    let taken = leases.acquire("task", &holder("one"), LONG).await.unwrap();
    assert_eq!(busy_with(&taken), None);
    // What cannot be read is somebody's.
    let other = leases.acquire("other", &holder("one"), LONG).await.unwrap();
    assert_eq!(busy_with(&other).as_deref(), Some("unknown@unknown"));
}

#[tokio::test]
async fn leases_that_were_given_back_long_ago_are_removed() {
    let place = memory();
    let leases = Leases::new(place.remote.clone());
    for name in ["done", "held"] {
        leases.acquire(name, &holder("one"), LONG).await.unwrap();
    }
    leases.release("done", &holder("one").nonce).await.unwrap();
    let hour = Duration::from_hours(1);
    assert_eq!(leases.remove_old(hour).await.unwrap(), 0, "too young");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(leases.remove_old(Duration::ZERO).await.unwrap(), 1);
    let held = leases.acquire("held", &holder("two"), LONG).await.unwrap();
    assert!(busy_with(&held).is_some());
}

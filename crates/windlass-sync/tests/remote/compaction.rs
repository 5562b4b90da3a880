//! Compaction of a remote: nothing is lost, whoever comes late.

use windlass_sync::claims::{Acquired, Holder, Leases};
use windlass_sync::remote::Compacted;

use crate::places::{clone, everywhere, memory};

#[tokio::test]
async fn many_packs_become_one_and_late_clones_have_everything() {
    for place in everywhere() {
        let (one, two, late) = (clone(), clone(), clone());
        for number in 0..6 {
            let writer = if number % 2 == 0 { &one } else { &two };
            writer.task(&number.to_string());
            writer.pass(&place.remote, false).await.unwrap();
        }
        // Knows some of the packs, and has one that nobody else has.
        late.pass(&place.remote, false).await.unwrap();
        late.task("written while others compact");
        let Compacted::Done { removed, .. } = one.compact(&place.remote).await else {
            panic!("{}: nobody else compacts", place.name);
        };
        assert!(removed >= 6, "{}: {removed}", place.name);
        assert_eq!(place.remote.packs(None).await.unwrap().packs.len(), 1);
        for clone in [&late, &two, &one, &late, &two] {
            clone.pass(&place.remote, false).await.unwrap();
        }
        assert_eq!(one.content().len(), 7);
        assert_eq!(one.content(), two.content(), "{}", place.name);
        assert_eq!(one.content(), late.content(), "{}", place.name);
        // Nobody sends again what was replaced.
        for clone in [&late, &two, &one] {
            clone.pass(&place.remote, true).await.unwrap();
        }
        let left = place.remote.packs(None).await.unwrap().packs.len();
        assert!(left <= 3, "{}: {left}", place.name);
        let fresh = clone();
        fresh.pass(&place.remote, false).await.unwrap();
        assert_eq!(one.content(), fresh.content(), "{}", place.name);
    }
}

#[tokio::test]
async fn one_clone_compacts_at_a_time() {
    let place = memory();
    let leases = Leases::new(place.remote.clone());
    let other = Holder {
        owner: "compaction".to_owned(),
        machine: "elsewhere".to_owned(),
        nonce: "n".to_owned(),
    };
    let minutes = std::time::Duration::from_mins(5);
    let held = leases.acquire("compaction", &other, minutes).await.unwrap();
    assert!(matches!(held, Acquired::Held(_)));
    let one = clone();
    let refused = one.compact(&place.remote).await;
    let expected = Compacted::ElsewhereBy("compaction@elsewhere".to_owned());
    assert_eq!(refused, expected);
}

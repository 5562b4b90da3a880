//! The critical path: the longest chain of open tasks of which each waits for the one before it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windlass_store::Wait;

/// The numbers of the tasks on the longest chain, the first to do first; empty if nothing waits. Of
/// chains of equal length, the one with the smaller numbers at its end. Tasks that wait for each other
/// in a circle, which merging clones can bring about, begin no chain and continue none.
pub fn critical_path(waits: &[Wait]) -> Vec<i64> {
    let mut after: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut missing: BTreeMap<i64, usize> = BTreeMap::new();
    for wait in waits {
        missing.entry(wait.blocker).or_default();
        if after.entry(wait.blocker).or_default().insert(wait.waiting) {
            *missing.entry(wait.waiting).or_default() += 1;
        }
    }
    // The longest chain that ends at a task: its length, and the task before it.
    let mut chains: BTreeMap<i64, (usize, Option<i64>)> = BTreeMap::new();
    let free = missing.iter().filter(|(_, count)| **count == 0);
    let mut queue: VecDeque<i64> = free.map(|(number, _)| *number).collect();
    while let Some(number) = queue.pop_front() {
        let (length, _) = *chains.entry(number).or_insert((1, None));
        for next in after.get(&number).into_iter().flatten() {
            let chain = chains.entry(*next).or_insert((1, None));
            if chain.0 <= length {
                *chain = (length + 1, Some(number));
            }
            if let Some(count) = missing.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    queue.push_back(*next);
                }
            }
        }
    }
    // What is still missing something is part of a circle, or waits for one.
    let complete = chains
        .iter()
        .filter(|(number, _)| missing.get(number) == Some(&0));
    let last = complete.max_by_key(|(number, (length, _))| (*length, -**number));
    let mut path = Vec::new();
    let mut at = last
        .filter(|(_, (length, _))| *length > 1)
        .map(|(it, _)| *it);
    while let Some(number) = at {
        path.push(number);
        at = chains.get(&number).and_then(|(_, before)| *before);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(i64, i64)]) -> Vec<i64> {
        let wait = |(blocker, waiting): &(i64, i64)| Wait {
            blocker: *blocker,
            waiting: *waiting,
        };
        critical_path(&pairs.iter().map(wait).collect::<Vec<_>>())
    }

    #[test]
    fn the_longest_chain_from_its_beginning() {
        assert_eq!(of(&[]), Vec::<i64>::new());
        assert_eq!(of(&[(1, 2)]), [1, 2]);
        assert_eq!(of(&[(1, 2), (2, 3), (1, 3), (4, 3)]), [1, 2, 3]);
        assert_eq!(of(&[(9, 5), (5, 7), (1, 2)]), [9, 5, 7]);
        assert_eq!(of(&[(3, 4), (1, 2)]), [1, 2], "the smaller numbers");
        assert_eq!(of(&[(1, 2), (1, 2), (2, 3)]), [1, 2, 3], "said twice");
    }

    #[test]
    fn circles_are_left_out_and_end_the_search_all_the_same() {
        assert_eq!(of(&[(1, 2), (2, 1)]), Vec::<i64>::new());
        assert_eq!(of(&[(1, 1)]), Vec::<i64>::new());
        assert_eq!(of(&[(1, 2), (2, 1), (2, 3), (7, 8)]), [7, 8]);
    }

    #[test]
    fn a_chain_of_ten_thousand() {
        let pairs: Vec<(i64, i64)> = (1..10_000).map(|number| (number, number + 1)).collect();
        assert_eq!(of(&pairs).len(), 10_000);
    }
}

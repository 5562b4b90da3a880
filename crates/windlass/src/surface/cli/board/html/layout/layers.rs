//! Which layer each node belongs to, and which nodes belong together.

use std::collections::VecDeque;

/// Who is linked to whom, by node.
pub struct Neighbours {
    pub before: Vec<Vec<usize>>,
    pub after: Vec<Vec<usize>>,
}

impl Neighbours {
    pub fn of(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut all = Self {
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
        };
        for &(from, to) in edges {
            all.after[from].push(to);
            all.before[to].push(from);
        }
        all
    }

    /// The neighbours on the left or on the right.
    pub fn towards(&self, left: bool) -> &[Vec<usize>] {
        if left { &self.before } else { &self.after }
    }
}

/// The edges without those that close a circle, found by going through the graph in depth.
pub fn without_circles(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Closed,
    }
    let known = edges.iter().copied();
    let known = known.filter(|&(from, to)| from != to && from < count && to < count);
    let known: Vec<(usize, usize)> = known.collect();
    let neighbours = Neighbours::of(count, &known);
    let mut marks = vec![Mark::New; count];
    let mut kept = Vec::with_capacity(known.len());
    for start in 0..count {
        let mut path = vec![(start, 0)];
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        while let Some((node, at)) = path.last_mut() {
            let Some(&next) = neighbours.after[*node].get(*at) else {
                marks[*node] = Mark::Closed;
                path.pop();
                continue;
            };
            *at += 1;
            if marks[next] != Mark::Open {
                kept.push((*node, next));
            }
            if marks[next] == Mark::New {
                marks[next] = Mark::Open;
                path.push((next, 0));
            }
        }
    }
    kept
}

/// The layer of each node: to the right of all that it waits for, and as far left as that allows.
pub fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let neighbours = Neighbours::of(count, edges);
    let mut missing: Vec<usize> = neighbours.before.iter().map(Vec::len).collect();
    let mut layers = vec![0; count];
    let mut queue: VecDeque<usize> = (0..count).filter(|&node| missing[node] == 0).collect();
    while let Some(node) = queue.pop_front() {
        for &next in &neighbours.after[node] {
            layers[next] = layers[next].max(layers[node] + 1);
            missing[next] -= 1;
            if missing[next] == 0 {
                queue.push_back(next);
            }
        }
    }
    // What waits for nothing stands right before the first that waits for it.
    for node in 0..count {
        let first = neighbours.after[node]
            .iter()
            .map(|&next| layers[next])
            .min();
        if let (true, Some(first)) = (neighbours.before[node].is_empty(), first) {
            layers[node] = first - 1;
        }
    }
    layers
}

/// The connected parts, the one with most nodes first; each in the order of its nodes.
pub fn parts(count: usize, neighbours: &Neighbours) -> Vec<Vec<usize>> {
    let mut seen = vec![false; count];
    let mut parts = Vec::new();
    for start in 0..count {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = Vec::new();
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            part.push(node);
            for &next in neighbours.before[node]
                .iter()
                .chain(&neighbours.after[node])
            {
                if !seen[next] {
                    seen[next] = true;
                    stack.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

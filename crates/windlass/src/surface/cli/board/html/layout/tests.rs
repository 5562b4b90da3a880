use super::*;

/// No two nodes of a layer nearer than a row, and every edge goes to the right.
fn check(layout: &Layout, edges: &[(usize, usize)]) {
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); layout.layers];
    for place in &layout.places {
        assert!(
            place.row > -0.001 && place.row < layout.rows - 0.999,
            "{place:?}"
        );
        columns[place.layer].push(place.row);
    }
    for column in &mut columns {
        column.sort_by(f64::total_cmp);
        for pair in column.windows(2) {
            assert!(pair[1] - pair[0] > 0.999, "{pair:?}");
        }
    }
    for &(from, to) in edges {
        assert!(
            layout.places[from].layer < layout.places[to].layer,
            "{from} {to}"
        );
    }
}

#[test]
fn a_chain_is_a_straight_line() {
    let edges = [(0, 1), (1, 2), (2, 3)];
    let layout = layout(4, &edges);
    check(&layout, &edges);
    assert_eq!(layout.layers, 4);
    assert!((layout.rows - 1.0).abs() < 0.001);
}

#[test]
fn what_waits_for_several_stands_between_them() {
    let edges = [(0, 3), (1, 3), (2, 3)];
    let layout = layout(4, &edges);
    check(&layout, &edges);
    assert!((layout.places[3].row - 1.0).abs() < 0.001, "{layout:?}");
}

#[test]
fn a_long_edge_has_a_place_in_each_layer_that_it_passes() {
    let edges = [(0, 1), (1, 2), (2, 3), (0, 3)];
    let layout = layout(4, &edges);
    check(&layout, &edges);
    let passed: Vec<usize> = layout.bends[3].iter().map(|place| place.layer).collect();
    assert_eq!(passed, [1, 2]);
    for (node, bend) in [(1, layout.bends[3][0]), (2, layout.bends[3][1])] {
        let node = layout.places[node].row;
        let apart = bend.row + BEND <= node + 0.001 || node + 1.0 <= bend.row + 0.001;
        assert!(apart, "{node} {bend:?}");
    }
}

#[test]
fn what_waits_for_nothing_stands_beside_what_waits_for_it() {
    let edges = [(0, 1), (1, 2), (3, 2)];
    let layout = layout(4, &edges);
    check(&layout, &edges);
    assert_eq!(layout.places[3].layer, 1);
}

#[test]
fn crossings_are_removed() {
    // Two chains whose numbers cross.
    let edges = [(0, 3), (1, 2), (0, 4), (1, 4)];
    let layout = layout(5, &edges);
    check(&layout, &edges);
    let above = |one: usize, other: usize| layout.places[one].row < layout.places[other].row;
    assert_eq!(above(0, 1), above(3, 2));
}

#[test]
fn parts_lie_below_one_another_the_largest_first() {
    let edges = [(0, 1), (2, 3), (3, 4)];
    let layout = layout(5, &edges);
    check(&layout, &edges);
    assert!(layout.places[0].row > layout.places[4].row);
    assert!((layout.rows - 2.0 - GAP).abs() < 0.001);
}

#[test]
fn circles_lose_an_edge_and_no_node() {
    let layout = layout(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]);
    check(&layout, &[(0, 1), (1, 2)]);
    assert_eq!(layout.layers, 3);
    assert_eq!(super::layout(0, &[]), Layout::default());
}

#[test]
fn thousands_of_tasks_take_less_than_a_moment() {
    // A graph without a pattern: each task waits for up to three earlier ones.
    let count = 5_000;
    let mut edges = Vec::new();
    let mut seed: usize = 12_345;
    for node in 1..count {
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let near = node.min(60);
            edges.push((node - 1 - (seed >> 33) % near, node));
        }
    }
    let start = std::time::Instant::now();
    let layout = layout(count, &edges);
    let took = start.elapsed();
    check(&layout, &edges);
    assert!(took.as_secs() < 5, "{took:?}");
}

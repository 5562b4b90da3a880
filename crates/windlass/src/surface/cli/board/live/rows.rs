//! A list of any length of which only the part around what is visible is in memory.

use std::ops::Range;

use crate::surface::cli::board::source::Part;

#[derive(Debug, Clone, PartialEq)]
pub struct Rows<T> {
    pub part: Part<T>,
    /// The position of the selected item.
    pub selected: usize,
    /// The position of the first visible item.
    pub first: usize,
    /// How many items are visible at once.
    pub visible: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            part: Part {
                total: 0,
                offset: 0,
                items: Vec::new(),
            },
            selected: 0,
            first: 0,
            visible: 1,
        }
    }
}

impl<T> Rows<T> {
    pub fn total(&self) -> usize {
        self.part.total
    }

    pub fn get(&self, position: usize) -> Option<&T> {
        let at = position.checked_sub(self.part.offset)?;
        self.part.items.get(at)
    }

    pub fn selected(&self) -> Option<&T> {
        self.get(self.selected)
    }

    /// The visible items with their positions.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &T)> {
        let last = self.first + self.visible;
        (self.first..last).filter_map(|position| Some((position, self.get(position)?)))
    }

    /// Selects the item this many positions further down, or up.
    pub fn step(&mut self, distance: isize) {
        self.select(self.selected.saturating_add_signed(distance));
    }

    pub fn select(&mut self, position: usize) {
        self.selected = position.min(self.part.total.saturating_sub(1));
        self.follow();
    }

    /// Sets how many items fit, and keeps the selected one visible.
    pub fn fit(&mut self, visible: usize) {
        self.visible = visible.max(1);
        self.follow();
    }

    fn follow(&mut self) {
        let last = self.part.total.saturating_sub(self.visible);
        let lowest = (self.selected + 1).saturating_sub(self.visible);
        self.first = self
            .first
            .clamp(lowest, self.selected.max(lowest))
            .min(last.max(lowest));
    }

    /// The positions to have in memory: a screen more in each direction than is visible.
    pub fn wanted(&self) -> Range<usize> {
        self.first.saturating_sub(self.visible)..self.first + 2 * self.visible
    }

    /// Whether everything visible is in memory.
    pub fn is_loaded(&self) -> bool {
        let last = (self.first + self.visible).min(self.part.total);
        let loaded = self.part.offset..self.part.offset + self.part.items.len();
        self.first >= last || (loaded.contains(&self.first) && loaded.contains(&(last - 1)))
    }

    /// Takes a part that was read anew. The selected item stays selected if it is still there.
    pub fn replace(&mut self, part: Part<T>, key: impl Fn(&T) -> i64) {
        let before = self.selected().map(&key);
        self.part = part;
        let mut items = self.part.items.iter();
        let found = before.and_then(|before| items.position(|item| key(item) == before));
        let position = found.map_or(self.selected, |at| self.part.offset + at);
        self.select(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(total: usize, visible: usize) -> Rows<i64> {
        let mut rows = Rows::default();
        rows.fit(visible);
        load(&mut rows, total);
        rows
    }

    fn load(rows: &mut Rows<i64>, total: usize) {
        let wanted = rows.wanted();
        let items = (wanted.start..wanted.end.min(total)).map(|it| i64::try_from(it).unwrap());
        let part = Part {
            total,
            offset: wanted.start,
            items: items.collect(),
        };
        rows.replace(part, |item| *item);
    }

    #[test]
    fn only_the_part_around_the_selection_is_wanted() {
        let mut rows = rows(10_000, 10);
        assert_eq!(rows.part.items.len(), 20);
        rows.select(5_000);
        assert!(!rows.is_loaded());
        assert_eq!(rows.wanted(), 4_981..5_011);
        load(&mut rows, 10_000);
        assert!(rows.is_loaded());
        assert_eq!(rows.selected(), Some(&5_000));
        assert_eq!(rows.shown().count(), 10);
        rows.step(-1);
        assert!(rows.is_loaded(), "the next step needs no reading");
        rows.select(usize::MAX);
        assert_eq!((rows.selected, rows.first), (9_999, 9_990));
    }

    #[test]
    fn the_selection_follows_its_item() {
        let mut rows = rows(30, 10);
        rows.select(7);
        let part = |items: Vec<i64>| Part {
            total: items.len(),
            offset: 0,
            items,
        };
        rows.replace(part(vec![9, 8, 7, 6]), |item| *item);
        assert_eq!(rows.selected, 2);
        rows.replace(part(vec![1]), |item| *item);
        assert_eq!((rows.selected, rows.first), (0, 0), "gone: the nearest");
        rows.replace(part(Vec::new()), |item| *item);
        assert_eq!(rows.selected(), None);
        assert!(rows.is_loaded());
    }

    #[test]
    fn a_smaller_window_keeps_the_selection_visible() {
        let mut rows = rows(30, 10);
        rows.select(9);
        rows.fit(3);
        assert_eq!((rows.first, rows.selected), (7, 9));
        rows.fit(30);
        assert_eq!(rows.first, 0, "no empty lines below the last item");
    }
}

//! Values with handles.

/// Values that are found by handles. The handle of a removed value is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Stores a value and returns its handle.
    pub(crate) fn insert(&mut self, value: T) -> i32 {
        let at = self.free.pop().unwrap_or(self.places.len());
        if at == self.places.len() {
            self.places.push(Some(value));
        } else {
            self.places[at] = Some(value);
        }
        i32::try_from(at).unwrap_or(super::FAILED)
    }

    #[inline]
    pub(crate) fn get(&self, handle: i32) -> Option<&T> {
        self.places.get(usize::try_from(handle).ok()?)?.as_ref()
    }

    #[cfg(feature = "operations")]
    pub(crate) fn get_mut(&mut self, handle: i32) -> Option<&mut T> {
        self.places.get_mut(usize::try_from(handle).ok()?)?.as_mut()
    }

    /// Removes a value, if it was not removed before.
    pub(crate) fn remove(&mut self, handle: i32) {
        let Ok(at) = usize::try_from(handle) else { return };
        if self.places.get_mut(at).is_some_and(|place| place.take().is_some()) {
            self.free.push(at);
        }
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handle_of_a_removed_value_is_used_again() {
        let mut slab = Slab::default();
        let (first, second) = (slab.insert('a'), slab.insert('b'));
        slab.remove(first);
        slab.remove(first);
        assert_eq!((slab.get(first), slab.get(second), slab.len()), (None, Some(&'b'), 1));
        assert_eq!(slab.insert('c'), first);
        assert_eq!(slab.get(first), Some(&'c'));
        assert_eq!(slab.get(-1), None);
    }
}

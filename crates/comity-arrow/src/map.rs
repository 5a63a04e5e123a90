//! Hash maps with a fast hasher. Its seed differs in each process, so that nobody can choose colliding keys.

pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

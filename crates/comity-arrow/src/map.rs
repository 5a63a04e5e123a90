//! Hash maps with a fast hasher. The seed differs in each process, so that the author of a file cannot choose colliding keys.

pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

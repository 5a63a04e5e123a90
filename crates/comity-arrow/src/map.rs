//! Maps with a quick hasher. Its seed is another in each process, so that nobody can choose keys that collide.

pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

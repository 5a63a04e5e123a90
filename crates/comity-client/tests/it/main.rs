//! The client from outside: real servers on loopback, real TLS, a name server, virtual time.

mod client;

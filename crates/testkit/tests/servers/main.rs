//! Checks the bytes that the servers send, through plain sockets.

mod behaving;
mod breaking;
mod dns;
mod process;
mod raw;
mod slow;
mod tls;

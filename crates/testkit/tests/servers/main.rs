//! Tests of the bytes that the servers of the testkit send, through plain sockets.

mod behaving;
mod breaking;
mod dns;
mod process;
mod raw;
mod slow;
mod tls;

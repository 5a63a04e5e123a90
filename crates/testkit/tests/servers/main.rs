//! The servers do on the wire what their names say, seen through plain sockets.

mod behaving;
mod breaking;
mod dns;
mod process;
mod raw;
mod slow;
mod tls;

//! `comity identity serve-snippets`: configurations of servers that publish a directory.

use std::io::Write;
use std::path::Path;

use comity_identity::{Identity, MEDIA_TYPE};

use super::args::Server;
use crate::exit::Failure;
use crate::output::Output;

/// Prints the configuration of a server.
pub(super) fn print(
    server: Server,
    identity: &Identity,
    file: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let url = identity.discovery().url();
    let (host, place) = (url.host_str().unwrap_or_default(), url.path());
    // Servers interpret other characters in different ways: some read the path as a pattern, and some decode it.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    if !place.bytes().all(is_plain) {
        return Err(Failure::new(format!(
            "`{place}` has characters that have to be escaped in configurations"
        ))
        .hint("publish the keys at a path with only letters, digits, `-`, `.`, `_` and `/`"));
    }
    output.note(&format!(
        "directory.json is the output of `comity identity directory {}`; update it after each rotation",
        super::shown(file)
    ));
    let text = match server {
        Server::Nginx => format!(
            "# in the server block of {host}
location = {place} {{
    alias /srv/{host}/directory.json;
    types {{ }}
    default_type {MEDIA_TYPE};
    add_header Cache-Control \"max-age=3600\";
}}
"
        ),
        Server::Caddy => format!(
            "# in the site block of {host}
handle {place} {{
    root * /srv/{host}
    rewrite * /directory.json
    header Content-Type {MEDIA_TYPE}
    header Cache-Control max-age=3600
    file_server
}}
"
        ),
        Server::Apache => format!(
            "# in the virtual host of {host}; needs mod_alias and mod_headers
Alias \"{place}\" \"/srv/{host}/directory.json\"
<Location \"{place}\">
    Require all granted
    ForceType {MEDIA_TYPE}
    Header set Cache-Control \"max-age=3600\"
</Location>
"
        ),
        Server::Static => format!(
            "# in the file _headers; directory.json is published as {place}
{place}
  Content-Type: {MEDIA_TYPE}
  Cache-Control: max-age=3600
"
        ),
    };
    Ok(output.write_all(text.as_bytes())?)
}

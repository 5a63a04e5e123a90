//! Signs a request with an identity, and verifies it as a site does: from the published directory of keys.
//!
//! ```sh
//! cargo run -p comity-examples --bin signatures
//! ```

use std::error::Error;
use std::time::SystemTime;

use comity_identity::{
    Directories, DirectoryAnswer, Discovery, Identity, MEDIA_TYPE, PrivateKey, Validity, Verifier, headers_of,
};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request};

fn main() -> Result<(), Box<dyn Error>> {
    // The crawler: a key, and the address at which it publishes the public half.
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    let discovery = Discovery::directory("https://bot.example")?;
    let identity =
        Identity::new(discovery.clone()).with_key(PrivateKey::from_random(&random), Validity::unbounded());
    let now = SystemTime::now();
    let (mut request, ()) = Request::get("https://shop.example/herons").body(())?.into_parts();
    let signed = identity.sign_parts(&mut request, None, now)?;
    for (name, value) in signed.iter() {
        println!("{name}: {value}");
    }

    // The site: keys of this signer are unknown, so the site fetches the directory. Here the file is read in place.
    let mut directories = Directories::new();
    let verifier = Verifier::new();
    let report = verifier.verify_parts(&request, "https", &directories, now)?;
    println!("without the keys: {}", report.outcome());

    let body = identity.directory(now).to_json();
    let fields = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))]);
    let fields = headers_of(&fields);
    let answer =
        DirectoryAnswer { url: discovery.url(), status: 200, headers: &fields, body: body.as_bytes() };
    directories.take(&discovery, &answer, now)?;
    println!("with the keys: {}", verifier.verify_parts(&request, "https", &directories, now)?.outcome());

    // The signature covers the path, so another path is not signed.
    request.uri = "https://shop.example/checkout".parse()?;
    println!("for another path: {}", verifier.verify_parts(&request, "https", &directories, now)?.outcome());
    Ok(())
}

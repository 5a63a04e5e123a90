//! A program in which Comity's client and another client use TLS. The program fails if one of them cannot be built.

use comity_client::Client;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "none")]
    {
        // The program compiles the provider `ring`, but the client does not enable it. A compiled provider still has to
        // be installed.
        let error = Client::builder("ExampleBot").build().err().ok_or("built without a provider")?;
        assert!(error.to_string().contains("the feature `ring`"), "{error}");
        rustls::crypto::ring::default_provider().install_default().map_err(|_| "installed twice")?;
    }
    #[cfg(feature = "one")]
    rustls::crypto::aws_lc_rs::default_provider().install_default().map_err(|_| "installed twice")?;
    Client::builder("ExampleBot").build()?;
    #[cfg(any(feature = "both", feature = "one"))]
    reqwest::Client::builder().build()?;
    println!("every client was built");
    Ok(())
}

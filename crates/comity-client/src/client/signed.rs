//! Clients that sign their requests: the methods with the feature `identity`.

use comity_identity::Identity;

use super::identity::OwnIdentity;
use super::{Client, ClientBuilder};
use crate::signing::{Sign, Signer};

impl ClientBuilder {
    /// Sets the identity that signs requests, and when it signs. It overrides the file in the settings.
    ///
    /// Each request gets its own signature: pages, robots.txt, redirects and retries. Requests over `http:` are not
    /// signed. Answers are stored separately for each identity and for unsigned requests, since a site may send them
    /// different answers. All identities share the pace of a site. Without a valid key, requests that must be signed
    /// are not sent. Requests of [other stacks](Client::admit) are signed by those stacks, for example with
    /// `identity::SignLayer`.
    ///
    /// ```
    /// use comity_client::Client;
    /// use comity_client::comity_identity::{Discovery, Identity, PrivateKey, Validity};
    /// use comity_client::identity::Sign;
    ///
    /// # let random = [7; 32];
    /// let key = PrivateKey::from_random(&random);
    /// let identity = Identity::new(Discovery::directory("https://bot.example")?).with_key(key, Validity::unbounded());
    /// let client = Client::builder("ExampleBot").identity(identity, Sign::WhenChallenged).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn identity(mut self, identity: Identity, sign: Sign) -> Self {
        self.settings.identity.sign = sign;
        self.identity = OwnIdentity(Some(identity));
        self
    }
}

impl Client {
    /// Returns the identity that signs the requests, if they are signed.
    pub fn identity(&self) -> Option<&Identity> {
        self.inner.signer.as_deref().map(Signer::identity)
    }
}

//! Creates a store from a URL.

use std::path::Path;

use redis::cluster::ClusterClientBuilder;
use redis::sentinel::{SentinelClientBuilder, SentinelServerType};
use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisError, TlsCertificates,
    TlsMode,
};
use url::form_urlencoded;

use super::RedisStore;
use super::link::{Link, Sentinels, Servers};
use super::options::RedisOptions;
use crate::crypto::{NO_PROVIDER, provider};
use crate::store::StoreError;

const FORMS: &str = "`redis://[user:password@]host:port/db`, `unix:///path?db=1`, `redis+sentinel://host:port,host:port/master/db` or `redis+cluster://host:port,host:port`; `rediss` instead of `redis` for TLS";

/// Minimum delay before a request is sent to a cluster again, in milliseconds, for example during a failover. The
/// response timeout limits all attempts together.
const MIN_RETRY_WAIT: u64 = 20;

/// Maximum delay before a request is sent to a cluster again, in milliseconds.
const MAX_RETRY_WAIT: u64 = 200;

impl RedisOptions {
    /// Creates a store on the servers at `url`. The store connects when it is first used.
    ///
    /// | URL | servers |
    /// |---|---|
    /// | `redis://[user][:password@]host[:port][/db]` | one server |
    /// | `unix:///path?db=1&user=…&pass=…` | one server on this machine |
    /// | `redis+sentinel://[user][:password@]host[:port],host[:port]/master[/db]` | the master that these Sentinels name |
    /// | `redis+cluster://[user][:password@]host[:port],host[:port]` | a Redis Cluster; some of its servers are enough |
    ///
    /// With `rediss` instead of `redis`, all connections use TLS. `valkey` and `valkeys` have the same meaning. User
    /// and password are those of the servers; Sentinels that need a password get it by
    /// `?sentinel_username=…&sentinel_password=…`. Special characters are percent-encoded.
    ///
    /// TLS uses the cryptography provider that is installed for the process. If none is installed, this function
    /// installs the provider of the feature `ring`, since the connections use only an installed provider.
    ///
    /// # Errors
    ///
    /// An error if the URL has another form, if the options for TLS cannot be used, or if the prefix contains a brace.
    /// The error never shows the password.
    pub fn open(self, url: &str) -> Result<RedisStore, StoreError> {
        if self.prefix.contains(['{', '}']) {
            return Err(StoreError::new(format!(
                "the key prefix `{}` contains a brace; choose another, such as `comity:`",
                self.prefix
            )));
        }
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let (base, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        let (servers, place) = match (base, kind) {
            ("unix", "") | ("redis" | "valkey", "unix" | "") | ("rediss" | "valkeys", "") => {
                self.single(url)?
            }
            ("redis" | "valkey" | "rediss" | "valkeys", "sentinel") => {
                let urls = ServerUrls::parse(scheme, base, rest)?;
                (self.sentinels(&urls)?, urls.place())
            }
            ("redis" | "valkey" | "rediss" | "valkeys", "cluster") => {
                let urls = ServerUrls::parse(scheme, base, rest)?;
                (self.cluster(&urls)?, urls.place())
            }
            _ => return Err(StoreError::new(format!("this is not a Redis URL; use {FORMS}"))),
        };
        Ok(RedisStore::new(Link::new(servers, place, &self), self))
    }

    fn single(&self, url: &str) -> Result<(Servers, String), StoreError> {
        let info = url.into_connection_info().map_err(invalid_url)?;
        let certificates = self.certificates(is_tls(&info))?;
        let database = info.redis_settings().db();
        let place = match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{host}:{port}/{database}"),
            ConnectionAddr::TcpTls { host, port, insecure: false, .. } => {
                format!("rediss://{host}:{port}/{database}")
            }
            ConnectionAddr::Unix(path) => format!("unix://{}?db={database}", path.display()),
            _ => {
                return Err(StoreError::new(
                    "a store needs certificates that are verified; remove `#insecure`",
                ));
            }
        };
        let client = match certificates {
            Some(certificates) => Client::build_with_tls(info, certificates).map_err(invalid_certificates)?,
            None => Client::open(info).map_err(invalid_url)?,
        };
        Ok((Servers::Single(Box::new(client)), place))
    }

    fn sentinels(&self, urls: &ServerUrls<'_>) -> Result<Servers, StoreError> {
        let (master, database) = urls.path.split_once('/').unwrap_or((urls.path, ""));
        if master.is_empty() {
            return Err(StoreError::new(format!("the URL does not name a master; use {FORMS}")));
        }
        let infos = urls.infos(26_379, database)?;
        let is_secure = infos.iter().any(is_tls);
        let addresses = infos.iter().map(|info| info.addr().clone());
        let mut builder =
            SentinelClientBuilder::new(addresses, master, SentinelServerType::Master).map_err(invalid_url)?;
        if let Some(info) = infos.first().map(ConnectionInfo::redis_settings) {
            builder = builder.set_client_to_redis_db(info.db());
            if let Some(user) = info.username() {
                builder = builder.set_client_to_redis_username(user);
            }
            if let Some(password) = info.password() {
                builder = builder.set_client_to_redis_password(password);
            }
        }
        for (name, value) in form_urlencoded::parse(urls.query.as_bytes()) {
            builder = match &*name {
                "sentinel_username" => builder.set_client_to_sentinel_username(value),
                "sentinel_password" => builder.set_client_to_sentinel_password(value),
                _ => return Err(unknown_parameter(&name)),
            };
        }
        if is_secure {
            builder = builder.set_client_to_redis_tls_mode(TlsMode::Secure);
        }
        if let Some(certificates) = self.certificates(is_secure)? {
            builder = builder
                .set_client_to_redis_certificates(certificates.clone())
                .set_client_to_sentinel_certificates(certificates);
        }
        let client = builder.build().map_err(invalid_certificates)?;
        Ok(Servers::Sentinels(Box::new(Sentinels::new(client, master))))
    }

    fn cluster(&self, urls: &ServerUrls<'_>) -> Result<Servers, StoreError> {
        if let Some((name, _)) = form_urlencoded::parse(urls.query.as_bytes()).next() {
            return Err(unknown_parameter(&name));
        }
        let infos = urls.infos(6379, urls.path)?;
        let certificates = self.certificates(infos.iter().any(is_tls))?;
        let mut builder = ClusterClientBuilder::new(infos)
            .connection_timeout(self.connect_timeout)
            .response_timeout(self.response_timeout)
            .min_retry_wait(MIN_RETRY_WAIT)
            .max_retry_wait(MAX_RETRY_WAIT);
        if let Some(certificates) = certificates {
            builder = builder.certs(certificates);
        }
        Ok(Servers::Cluster(Box::new(builder.build().map_err(invalid_certificates)?)))
    }

    /// Reads the certificates for TLS, and installs a cryptography provider if none is installed. Returns `None` if the
    /// certificates of the system are used, or if the connection does not use TLS.
    fn certificates(&self, is_secure: bool) -> Result<Option<TlsCertificates>, StoreError> {
        if !is_secure {
            return match self.ca.as_ref().or(self.client_certificate.as_ref()).or(self.client_key.as_ref()) {
                Some(file) => Err(StoreError::new(format!(
                    "`{}` is for TLS, but the URL of the store is not; write `rediss` instead of `redis`",
                    file.display()
                ))),
                None => Ok(None),
            };
        }
        // The error of a race is that another thread has installed a provider.
        let _ = provider().ok_or_else(|| StoreError::new(NO_PROVIDER))?.as_ref().clone().install_default();
        let client_tls = match (&self.client_certificate, &self.client_key) {
            (Some(certificate), Some(key)) => Some(ClientTlsConfig {
                client_cert: read_pem(certificate, "CERTIFICATE-----")?,
                client_key: read_pem(key, "PRIVATE KEY-----")?,
            }),
            (None, None) => None,
            _ => {
                return Err(StoreError::new(
                    "a client certificate for the store needs its key: set both `store.cert` and `store.key`",
                ));
            }
        };
        let root_cert = self.ca.as_ref().map(|file| read_pem(file, "CERTIFICATE-----")).transpose()?;
        Ok((client_tls.is_some() || root_cert.is_some()).then_some(TlsCertificates { client_tls, root_cert }))
    }
}

/// The parts of a URL that names several servers.
struct ServerUrls<'a> {
    scheme: &'a str,
    /// The scheme of a URL that names one of the servers.
    base: &'a str,
    /// User and password with the `@` after them, or nothing.
    login: &'a str,
    hosts: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> ServerUrls<'a> {
    fn parse(scheme: &'a str, base: &'a str, rest: &'a str) -> Result<Self, StoreError> {
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        if query.contains('@') || rest.contains('#') {
            return Err(StoreError::new(
                "the Redis URL contains a special character; percent-encode it, such as `%40` for `@`",
            ));
        }
        let (login, place) = rest.split_at(rest.rfind('@').map_or(0, |at| at + 1));
        let (hosts, path) = place.split_once('/').unwrap_or((place, ""));
        Ok(ServerUrls { scheme, base, login, hosts, path: path.trim_end_matches('/'), query })
    }

    fn infos(&self, port: u16, database: &str) -> Result<Vec<ConnectionInfo>, StoreError> {
        let info = |host: &str| {
            let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
            let port = if has_port { String::new() } else { format!(":{port}") };
            let url = format!("{}://{}{host}{port}/{database}", self.base, self.login);
            url.into_connection_info().map_err(invalid_url)
        };
        self.hosts.split(',').map(info).collect()
    }

    /// Returns the URL without user, password and query.
    fn place(&self) -> String {
        format!("{}://{}/{}", self.scheme, self.hosts, self.path)
    }
}

fn is_tls(info: &ConnectionInfo) -> bool {
    matches!(info.addr(), ConnectionAddr::TcpTls { .. })
}

fn read_pem(file: &Path, end: &str) -> Result<Vec<u8>, StoreError> {
    let failed =
        |reason: &str| StoreError::new(format!("cannot use `{}` for the store: {reason}", file.display()));
    let pem = std::fs::read(file).map_err(|error| failed("it cannot be read").because(error))?;
    if pem.windows(end.len()).any(|window| window == end.as_bytes()) {
        Ok(pem)
    } else {
        Err(failed("it has no certificate or key in PEM"))
    }
}

fn invalid_url(error: RedisError) -> StoreError {
    StoreError::new(format!("the Redis URL cannot be read; use {FORMS}")).because(error)
}

fn invalid_certificates(error: RedisError) -> StoreError {
    StoreError::new("the servers or certificates of the store cannot be used").because(error)
}

fn unknown_parameter(name: &str) -> StoreError {
    StoreError::new(format!("the Redis URL has an unknown parameter `{name}`"))
}

//! The remedy for a refusal: the setting that would allow the request. Each front end prints the remedy in its own
//! form.

use std::fmt;

use comity::policy::CertificateFault;

use crate::guard::{GuardRefusal, RefusalReason};
use crate::settings::{Setting, Settings};

/// The setting that would allow a refused request, and the required value.
///
/// ```
/// use comity_client::Cause;
/// use comity_client::guard::Guard;
///
/// let refusal = Guard::new().check_url(&"https://example.com:6000/".parse()?).unwrap_err();
/// let remedy = Cause::Guard(refusal).remedy().ok_or("no setting allows it")?;
/// assert_eq!(remedy.option().as_deref(), Some("--allow-port 6000"));
/// assert_eq!(remedy.key(), "`allow_port` under [guard]");
/// assert_eq!(remedy.variable(), "COMITY_ALLOW_PORT=6000");
/// assert_eq!(remedy.effect(), "allows the port");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Remedy {
    setting: &'static Setting,
    value: Option<String>,
    effect: &'static str,
}

impl Remedy {
    /// Creates the remedy for the setting with this path, such as `guard.allow_port`. `value` is `None` if the user
    /// must choose the value. `effect` is the predicate of the sentence "the setting …". Returns `None` if the setting
    /// is unknown.
    pub fn new(path: &str, value: Option<&str>, effect: &'static str) -> Option<Self> {
        let setting = Settings::setting(path)?;
        Some(Remedy { setting, value: value.map(str::to_owned), effect })
    }

    /// Returns the remedy for a refusal by the guard. Returns `None` if no setting allows the request, for example for
    /// schemes other than `http` and `https`.
    pub(crate) fn of_refusal(refusal: &GuardRefusal) -> Option<Self> {
        let dialled = "allows the connection";
        match (refusal.reason(), refusal.address(), refusal.port()) {
            (_, Some(address), _) => Remedy::new("guard.allow_address", Some(&address.to_string()), dialled),
            (RefusalReason::Port, None, Some(port)) => {
                Remedy::new("guard.allow_port", Some(&port.to_string()), "allows the port")
            }
            (RefusalReason::Credentials, ..) => {
                Remedy::new("guard.allow_credentials", Some("true"), "allows URLs with credentials")
            }
            (RefusalReason::Metadata, None, _) => {
                Remedy::new("guard.allow_host", Some(refusal.host()), dialled)
            }
            _ => None,
        }
    }

    /// Returns the remedy for a rejected certificate. A setting can add a private authority to the trusted authorities.
    /// No setting accepts a certificate with another fault, so the result is then `None`.
    pub(crate) fn of_certificate(fault: CertificateFault) -> Option<Self> {
        match fault {
            CertificateFault::UnknownIssuer => {
                Remedy::new("network.ca", None, "names the certificate of a private authority to trust")
            }
            _ => None,
        }
    }

    /// Returns the setting.
    pub fn setting(&self) -> &'static Setting {
        self.setting
    }

    /// Returns the value of the setting, or `None` if the user must choose it.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// Returns the predicate of the sentence "the setting …", such as `allows the port`.
    pub fn effect(&self) -> &'static str {
        self.effect
    }

    /// Returns the option of the command, if the setting has one: `--allow-port 6000`.
    pub fn option(&self) -> Option<String> {
        let flag = self.setting.flag?;
        Some(self.value().map_or_else(|| format!("--{flag}"), |value| format!("--{flag} {value}")))
    }

    /// Returns the key in a file of settings: ``` `allow_port` under [guard]```.
    pub fn key(&self) -> String {
        format!("`{}` under [{}]", self.setting.key, self.setting.section)
    }

    /// Returns the environment variable: `COMITY_ALLOW_PORT=6000`.
    pub fn variable(&self) -> String {
        let name = self.setting.variable();
        self.value().map_or_else(|| name.clone(), |value| format!("{name}={value}"))
    }
}

/// Prints the remedy for users of the command: the option `--allow-port 6000`, the key in a file of settings, or the
/// environment variable, and the effect.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(option) = self.option() {
            write!(f, "{option}, ")?;
        }
        write!(f, "{} in a file of settings, or {} {}", self.key(), self.variable(), self.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Guard;

    #[test]
    fn remedy_of_each_refusal_names_a_setting_that_allows_it() {
        let strict = Guard::new().on_web_ports();
        for (url, option, variable) in [
            ("http://127.0.0.1/", Some("--allow-address 127.0.0.1"), "COMITY_ALLOW_ADDRESS=127.0.0.1"),
            ("http://[fd00::1]/", Some("--allow-address fd00::1"), "COMITY_ALLOW_ADDRESS=fd00::1"),
            (
                "http://169.254.169.254/",
                Some("--allow-address 169.254.169.254"),
                "COMITY_ALLOW_ADDRESS=169.254.169.254",
            ),
            (
                "http://metadata.google.internal/",
                Some("--allow-host metadata.google.internal"),
                "COMITY_ALLOW_HOST=metadata.google.internal",
            ),
            ("http://example.com:8080/", Some("--allow-port 8080"), "COMITY_ALLOW_PORT=8080"),
            ("http://me@example.com/", None, "COMITY_GUARD_ALLOW_CREDENTIALS=true"),
        ] {
            let refusal = strict.check_url(&url.parse().unwrap()).unwrap_err();
            let remedy = Remedy::of_refusal(&refusal).unwrap();
            assert_eq!((remedy.option().as_deref(), remedy.variable().as_str()), (option, variable), "{url}");
            let value = toml::Value::String(remedy.value().unwrap().to_owned());
            let value = match remedy.setting().form.is_list {
                true => toml::Value::Array(vec![value]),
                false => toml::Value::Boolean(true),
            };
            let table = toml::Table::from_iter([(remedy.setting().key.to_owned(), value)]);
            let options: crate::guard::GuardOptions = table.try_into().unwrap();
            let guard = Guard::with_options(&options).on_web_ports();
            assert!(guard.check_url(&url.parse().unwrap()).is_ok(), "{url}");
        }
        let refusal = strict.check_url(&"ftp://example.com/".parse().unwrap()).unwrap_err();
        assert!(Remedy::of_refusal(&refusal).is_none());
    }

    #[test]
    fn remedy_of_an_unknown_issuer_names_the_setting_for_authorities() {
        let options = CertificateFault::ALL.map(|fault| Remedy::of_certificate(fault)?.option());
        assert_eq!(options.iter().flatten().collect::<Vec<_>>(), ["--ca"]);
    }
}

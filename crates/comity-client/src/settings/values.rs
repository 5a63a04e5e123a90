//! What settings are written as: networks, name servers, header fields. One spelling wherever they are written.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;

/// A network, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Network(pub IpNet);

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = text.parse::<IpNet>().ok().or_else(|| Some(text.parse::<IpAddr>().ok()?.into()));
        network
            .map(Network)
            .ok_or_else(|| format!("`{text}` is no network; write 127.0.0.0/8, 10.1.2.3 or fd00::/8"))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A DNS server, at port 53 unless another one is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nameserver(pub SocketAddr);

impl FromStr for Nameserver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53));
        address.or_else(|_| text.parse()).map(Nameserver).map_err(|_| {
            format!("`{text}` is no address; write 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53")
        })
    }
}

impl fmt::Display for Nameserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A header field to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once(':')
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or_else(|| format!("`{text}` is no header field; write `Name: value`"))?;
        Ok(Field { name: name.trim().to_owned(), value: value.trim().to_owned() })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.value)
    }
}

/// Serde for what is text in a file: a name, an address.
pub(super) mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in crate::settings) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(in crate::settings) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The same for what need not be there.
pub(super) mod optional_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in crate::settings) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::settings) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
    }
}

/// The same for lists.
pub(super) mod texts {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in crate::settings) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(in crate::settings) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let values = Vec::<String>::deserialize(deserializer)?;
        values.iter().map(|text| text.parse().map_err(de::Error::custom)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_network_of_one() {
        assert_eq!("127.0.0.1".parse::<Network>().unwrap().to_string(), "127.0.0.1/32");
        assert_eq!("fd00::/8".parse::<Network>().unwrap().to_string(), "fd00::/8");
        assert!("localhost".parse::<Network>().is_err());
    }

    #[test]
    fn name_servers_listen_at_port_53() {
        assert_eq!("192.0.2.1".parse::<Nameserver>().unwrap().to_string(), "192.0.2.1:53");
        assert_eq!("192.0.2.1:5".parse::<Nameserver>().unwrap().to_string(), "192.0.2.1:5");
        assert_eq!("2001:db8::1".parse::<Nameserver>().unwrap().to_string(), "[2001:db8::1]:53");
        assert!("dns.example".parse::<Nameserver>().is_err());
    }

    #[test]
    fn header_fields_have_a_name() {
        let field = "Accept-Language:  de, en".parse::<Field>().unwrap();
        assert_eq!((field.name.as_str(), field.value.as_str()), ("Accept-Language", "de, en"));
        assert!(": x".parse::<Field>().is_err() && "x".parse::<Field>().is_err());
    }
}

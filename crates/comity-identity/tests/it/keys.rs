//! Keys, directories and the files that store them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity_identity::{
    Directory, DirectoryError, Discovery, DiscoveryType, Identity, IdentityError, KeyError, KeyFault,
    MAX_DIRECTORY_BYTES, MAX_KEYS, PrivateKey, PublishedKey, Thumbprint, Validity,
};

/// RFC 9421 appendix B.1.4, as PEM.
const PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";

/// RFC 9421 appendix B.1.4, as JWK.
const JWK: &str = r#"{"kty":"OKP","crv":"Ed25519","kid":"test-key-ed25519",
    "d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#;

fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn identity() -> Identity {
    Identity::new(Discovery::directory("https://bot.example").expect("an origin"))
}

#[test]
fn key_is_equal_in_pem_and_jwk() {
    let key = PrivateKey::from_pem(PEM).expect("PEM");
    assert_eq!(key.public(), PrivateKey::from_jwk(JWK).expect("JWK").public());
    assert_eq!(&*key.to_pem(), PEM);
    assert_eq!(PrivateKey::from_jwk(&key.to_jwk()).expect("JWK").public(), key.public());
    assert_eq!(key.public().thumbprint().to_string(), "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
    assert!(key.public().thumbprint().is_test_key());
}

#[test]
fn thumbprint_matches_the_example_of_rfc_8037() {
    let body =
        br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    let directory = Directory::read(body, DiscoveryType::Directory).expect("a directory");
    let name = directory.keys()[0].thumbprint();
    assert_eq!(name.to_string(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    assert_eq!(
        "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k".parse::<Thumbprint>().expect("a thumbprint"),
        name
    );
}

#[test]
fn invalid_key_is_rejected() {
    let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----";
    for text in ["", "heron", public, &PEM[..80]] {
        assert_eq!(PrivateKey::from_pem(text).expect_err(text), KeyError::Encoding);
    }
    let swapped = JWK.replace("JrQL", "KrQL");
    assert_eq!(PrivateKey::from_jwk(&swapped).expect_err("other halves"), KeyError::Mismatch);
    for text in ["{}", "[]", &JWK.replace("Ed25519", "X25519"), &JWK.replace("n4Ni", "n4N")] {
        assert_eq!(PrivateKey::from_jwk(text).expect_err(text), KeyError::Encoding);
    }
}

#[test]
fn debug_output_hides_private_keys() {
    let key = PrivateKey::from_jwk(JWK).expect("JWK");
    let with_key = identity().with_key(key.clone(), Validity::unbounded());
    for shown in [format!("{key:?}"), format!("{with_key:?}"), format!("{:#?}", with_key.directory(time(0)))]
    {
        assert!(shown.contains("poqkLGiymh") || shown.contains("JrQLj5P"), "{shown}");
        assert!(!shown.contains("n4Ni") && !shown.contains("159, 131"), "{shown}");
    }
    assert!(!with_key.directory(time(0)).to_json().contains("n4Ni"));
}

#[test]
fn directory_is_unchanged_after_a_round_trip() {
    let validity = Validity::unbounded().from(time(10)).until(time(20));
    let key = PublishedKey::new(PrivateKey::from_random(&[7; 32]).public(), validity);
    let directory = Directory::new([key]);
    assert_eq!(Directory::read(directory.to_json().as_bytes(), DiscoveryType::Directory), Ok(directory));
}

#[test]
fn directory_over_its_limits_is_rejected() {
    let key = r#"{"kty":"RSA"}"#;
    let of = |count: usize| format!(r#"{{"keys":[{}]}}"#, vec![key; count].join(","));
    let read = |body: String| Directory::read(body.as_bytes(), DiscoveryType::JwksUri);
    assert_eq!(read(of(MAX_KEYS)).expect("keys").left_out(), [KeyFault::Unsupported; MAX_KEYS]);
    assert_eq!(read(of(MAX_KEYS + 1)), Err(DirectoryError::TooManyKeys));
    let mut long = of(1);
    long.push_str(&" ".repeat(MAX_DIRECTORY_BYTES - long.len()));
    assert!(read(long.clone()).is_ok());
    assert_eq!(read(long + " "), Err(DirectoryError::TooLarge));
}

#[test]
fn address_and_keys_are_unchanged_after_a_round_trip() {
    let key = |byte| PrivateKey::from_random(&[byte; 32]);
    let at = Discovery::jwks_uri("https://bot.example/keys.json?v=2").expect("a URL");
    for identity in [identity(), Identity::new(at)] {
        let identity = identity
            .with_key(key(1), Validity::unbounded().until(time(2_000)))
            .with_key(key(2), Validity::unbounded().from(time(1_000)));
        let again = Identity::from_json(&identity.to_json()).expect("an identity");
        assert_eq!(again.discovery(), identity.discovery());
        assert!(again.keys().eq(identity.keys()));
    }
}

#[test]
fn invalid_identity_is_rejected() {
    let read = |text: &str| Identity::from_json(text).expect_err(text);
    assert_eq!(read("{}"), IdentityError::Json);
    assert!(matches!(
        read(r#"{"signature_agent":"http://a.example","keys":[]}"#),
        IdentityError::Discovery(_)
    ));
    let text = identity().with_key(PrivateKey::from_random(&[1; 32]), Validity::unbounded()).to_json();
    assert_eq!(read(&text.replace("Ed25519", "P-256")), IdentityError::Key(KeyError::Encoding));
    assert_eq!(read(&text.replace("signature_agent", "agent")), IdentityError::Json);
}

#[test]
fn rotation_beyond_the_most_keys_of_a_directory_is_refused() {
    let mut identity = identity();
    let mut rotate = |number: u8| {
        let start = u64::from(number);
        let key = PrivateKey::from_random(&[number; 32]);
        identity.rotate(key, time(0), time(start), time(start + 1_000))
    };
    let made = (1..200).take_while(|number| rotate(*number).is_ok()).count();
    assert_eq!(made, MAX_KEYS);
    assert_eq!(rotate(200), Err(IdentityError::TooManyKeys));
    assert!(Identity::from_json(&identity.to_json()).is_ok());
}

#[test]
fn rotation_publishes_two_keys_and_signs_with_one() {
    let names = |identity: &Identity, now| {
        identity.directory(time(now)).keys().iter().map(PublishedKey::thumbprint).collect::<Vec<_>>()
    };
    let (old, new) = (PrivateKey::from_random(&[1; 32]), PrivateKey::from_random(&[2; 32]));
    let (first, second) = (old.public().thumbprint(), new.public().thumbprint());
    let mut identity = identity().with_key(old, Validity::unbounded());
    identity.rotate(new, time(1_000), time(2_000), time(3_000)).expect("a rotation");
    assert_eq!(names(&identity, 1_000), [first, second]);
    assert_eq!(names(&identity, 2_999), [first, second]);
    assert_eq!(names(&identity, 3_000), [second]);
    let later = PrivateKey::from_random(&[3; 32]);
    assert_eq!(
        identity.clone().rotate(later.clone(), time(4_000), time(5_000), time(5_000)),
        Err(IdentityError::Rotation)
    );
    identity.rotate(later, time(4_000), time(5_000), time(6_000)).expect("a rotation");
    assert_eq!(identity.keys().count(), 2, "the expired key is removed");
}

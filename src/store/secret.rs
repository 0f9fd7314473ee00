//! Secrets whose text never reaches a log, an error or a debug print.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use crate::base::error::Result;

/// What a secret is; its name in masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// `key` of an api_key credential.
    ApiKey,
    /// `token` of a token credential.
    Token,
    /// `access` of an oauth credential.
    AccessToken,
    /// `refresh` of an oauth credential.
    RefreshToken,
    /// `idToken` of an oauth credential.
    IdToken,
    /// Any field that isn't known to be harmless.
    Other,
}

impl SecretKind {
    /// As masks name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "api key",
            Self::Token => "token",
            Self::AccessToken => "access token",
            Self::RefreshToken => "refresh token",
            Self::IdToken => "id token",
            Self::Other => "secret",
        }
    }
}

/// A secret text. `Debug` and `Display` show its kind and length only.
#[derive(Clone)]
pub struct Secret {
    kind: SecretKind,
    chars: usize,
    text: SecretString,
}

impl Secret {
    /// A secret of this kind.
    #[must_use]
    pub fn new(kind: SecretKind, text: &str) -> Self {
        Self { kind, chars: text.chars().count(), text: SecretString::from(text) }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    /// Its length in characters.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// `api key, 51 chars`.
    #[must_use]
    pub fn mask(&self) -> String {
        self.to_string()
    }

    /// The text itself, for comparing and writing. Never for printing.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.text.expose_secret()
    }

    /// A fingerprint that is equal for equal secrets under the same key.
    #[must_use]
    pub fn fingerprint(&self, key: &FingerprintKey) -> String {
        key.fingerprint(self.expose())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.chars == 1 { "" } else { "s" };
        write!(f, "{}, {} char{plural}", self.kind.name(), self.chars)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({self})")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// The key of one run's fingerprints: random, never stored. Equal secrets have equal fingerprints
/// within one run (one report); across runs the same secret gets another one, so that a printed
/// fingerprint can't be used to test guesses of a key.
pub struct FingerprintKey([u8; 32]);

impl FingerprintKey {
    /// A fresh random key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self> {
        super::random::random().map(Self)
    }

    /// 12 hex digits of HMAC-SHA256.
    #[must_use]
    pub fn fingerprint(&self, text: &str) -> String {
        use fmt::Write as _;
        // A key of 32 bytes is below the block size: `new` takes the array type of a whole block.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(text.as_bytes());
        let mut hex = String::with_capacity(12);
        for byte in mac.finalize().into_bytes().iter().take(6) {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}

impl fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FingerprintKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_show_kind_and_length_only() {
        let secret = Secret::new(SecretKind::ApiKey, "sk-made-up-é");
        assert_eq!(secret.mask(), "api key, 12 chars");
        assert_eq!(format!("{secret:?}"), "Secret(api key, 12 chars)");
        assert_eq!(Secret::new(SecretKind::Token, "x").mask(), "token, 1 char");
    }

    #[test]
    fn fingerprints_compare_within_a_run_and_not_across() {
        let (a, b) = (FingerprintKey::random().unwrap(), FingerprintKey::random().unwrap());
        assert_eq!(a.fingerprint("one"), a.fingerprint("one"));
        assert_ne!(a.fingerprint("one"), a.fingerprint("two"));
        assert_ne!(a.fingerprint("one"), b.fingerprint("one"));
        assert_eq!(a.fingerprint("one").len(), 12);
    }

    #[test]
    fn fingerprints_are_hmac_sha256() {
        // RFC 4231, test case 1 has a key of 20 bytes 0x0b, padded with zeros to the block.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        assert_eq!(FingerprintKey(key).fingerprint("Hi There"), "b0344c61d8db");
    }
}

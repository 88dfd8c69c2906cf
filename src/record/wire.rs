//! Records as bytes. The only file that names bincode, so that it can be replaced.
//!
//! Bytes from outside are decoded under a limit: a length that they merely claim never makes the
//! program reserve more than the limit.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// No record, decoded, claims more bytes than this. A game of a thousand plies with a hundred
/// actions in each policy target needs less than a twentieth.
pub const LIMIT: usize = 16 << 20;

/// Why bytes are not the record that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WireError(String);

/// No learner's state, decoded, claims more bytes than this: a hundred million weights.
const LARGE: usize = 2 << 30;

/// Little-endian, variable-length integers. Part of the file format: it never changes.
fn config<const MOST: usize>() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<MOST>()
}

/// The bytes of a value. An error means that it is larger than [`LIMIT`] or of a type that the
/// format cannot hold.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, WireError> {
    encode_within::<LIMIT, T>(value)
}

/// The value that all of `bytes` encode.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    decode_within::<LIMIT, T>(bytes)
}

/// As [`encode`], for a value that may be as large as a network.
pub fn encode_large<T: Serialize>(value: &T) -> Result<Vec<u8>, WireError> {
    encode_within::<LARGE, T>(value)
}

/// As [`decode`], for a value that may be as large as a network.
pub fn decode_large<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    decode_within::<LARGE, T>(bytes)
}

fn encode_within<const MOST: usize, T: Serialize>(value: &T) -> Result<Vec<u8>, WireError> {
    let bytes = bincode::serde::encode_to_vec(value, config::<MOST>());
    let bytes = bytes.map_err(|error| WireError(format!("cannot be encoded: {error}")))?;
    if bytes.len() > MOST {
        return Err(WireError(format!("{} bytes, more than the limit of {MOST}", bytes.len())));
    }
    Ok(bytes)
}

fn decode_within<const MOST: usize, T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    let (value, used) = bincode::serde::decode_from_slice(bytes, config::<MOST>())
        .map_err(|error| WireError(format!("cannot be decoded: {error}")))?;
    match bytes.len() - used {
        0 => Ok(value),
        extra => Err(WireError(format!("{extra} bytes too many after byte {used}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameRecord;
    use crate::record::toy;
    use proptest::prelude::*;

    #[test]
    fn a_record_survives_and_every_truncation_is_an_error() {
        let record = toy::record(5);
        let bytes = encode(&record).unwrap();
        assert_eq!(decode::<GameRecord>(&bytes), Ok(record));
        for end in 0..bytes.len() {
            assert!(decode::<GameRecord>(&bytes[..end]).is_err());
        }
        let longer = [&bytes[..], b"xy"].concat();
        let error = decode::<GameRecord>(&longer).unwrap_err().to_string();
        assert!(error.starts_with("2 bytes too many after byte "), "{error}");
    }

    #[test]
    fn a_claimed_length_reserves_nothing() {
        // A list that claims 2^60 numbers of eight bytes.
        let bytes = [&[253u8][..], &(1u64 << 60).to_le_bytes()].concat();
        assert!(decode::<Vec<u64>>(&bytes).is_err());
        assert!(decode::<String>(&bytes).is_err());
    }

    /// The encoding stands in files: it must never change.
    #[test]
    fn known_bytes() {
        let value = (1u64, 300u16, String::from("ab"), Some(-1i16), vec![(7u16, 65_535u16)]);
        let expected = [1, 251, 44, 1, 2, b'a', b'b', 1, 1, 1, 7, 251, 255, 255];
        assert_eq!(encode(&value).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_not_without_a_panic(bytes: Vec<u8>) {
            let decoded: Result<GameRecord, _> = decode(&bytes);
            if let Ok(record) = decoded {
                prop_assert!(encode(&record).is_ok());
            }
        }
    }
}

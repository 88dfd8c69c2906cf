//! One frame for all our binary files: what it is, which version, how long, and whether it is
//! still what was written.
//!
//! ```text
//! offset  0  magic            8 bytes, one per kind of file
//!         8  version          u16, of the payload's format
//!        10  flags            u16, zero in this version of the frame
//!        12  payload length   u64
//!        20  payload crc32c   u32
//!        24  header crc32c    u32, of the 24 bytes before it
//!        28  payload
//! ```
//! All numbers are little-endian. The frame does not interpret its payload.

use std::fmt;

/// Bytes before the payload.
pub const HEADER: usize = 28;

/// What a binary file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shard of game records.
    Shard,
    /// An endgame table.
    Table,
    /// The learner's optimizer, counters and streams.
    State,
    /// A run in one file.
    Pack,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Shard, Kind::Table, Kind::State, Kind::Pack];

    /// The first bytes of such a file.
    pub fn magic(self) -> [u8; 8] {
        *match self {
            Kind::Shard => b"MNGSHARD",
            Kind::Table => b"MNGTABLE",
            Kind::State => b"MNGSTATE",
            Kind::Pack => b"MNGPACKD",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Kind::Shard => "a shard of games",
            Kind::Table => "an endgame table",
            Kind::State => "a learner's state",
            Kind::Pack => "a packed run",
        })
    }
}

/// Why bytes are not the frame that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("the file is cut off: expected {expected} bytes, found {found}")]
    Truncated { expected: u64, found: u64 },
    #[error("expected {expected}, found {found}")]
    WrongKind { expected: Kind, found: String },
    #[error(
        "{kind} of format version {found}, this program reads version {known}; {}",
        if found > known { "use a newer menagerie" } else { "use the menagerie that wrote it" }
    )]
    UnknownVersion { kind: Kind, found: u16, known: u16 },
    #[error("the header is damaged: checksum {found:08x} at byte 24, should be {expected:08x}")]
    DamagedHeader { expected: u32, found: u32 },
    #[error("{kind} with the flags {found:#06x}, this program knows none; use a newer menagerie")]
    UnknownFlags { kind: Kind, found: u16 },
    #[error(
        "the content is damaged: checksum of bytes {HEADER} to {end} is {found:08x}, should be \
         {expected:08x}"
    )]
    DamagedPayload { end: u64, expected: u32, found: u32 },
    #[error("{extra} bytes too many: the content ends at byte {end}")]
    Trailing { end: u64, extra: u64 },
}

/// A frame whose header is sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub kind: Kind,
    pub version: u16,
    /// What there is of the payload: all of it, unless `damage` says otherwise.
    pub payload: &'a [u8],
    /// What is wrong with the payload: cut off, changed, or followed by other bytes.
    pub damage: Option<FrameError>,
}

impl<'a> Frame<'a> {
    /// The file's bytes: header and payload.
    pub fn encode(kind: Kind, version: u16, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend_from_slice(&kind.magic());
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&0u16.to_le_bytes());
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(payload).to_le_bytes());
        let header = crc32c::crc32c(&bytes);
        bytes.extend_from_slice(&header.to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }

    /// The payload of a sound file of this kind and version.
    pub fn decode(kind: Kind, version: u16, bytes: &'a [u8]) -> Result<&'a [u8], FrameError> {
        let frame = Self::salvage(kind, version, bytes)?;
        match frame.damage {
            None => Ok(frame.payload),
            Some(damage) => Err(damage),
        }
    }

    /// As [`Frame::decode`], but a damaged payload is handed out with its damage, for formats
    /// that can tell sound parts from damaged ones. The header must be sound.
    pub fn salvage(kind: Kind, version: u16, bytes: &'a [u8]) -> Result<Self, FrameError> {
        let magic = kind.magic();
        let shown = &bytes[..bytes.len().min(magic.len())];
        if !magic.starts_with(shown) {
            return Err(FrameError::WrongKind { expected: kind, found: name(shown) });
        }
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            let found = bytes.len() as u64;
            return Err(FrameError::Truncated { expected: HEADER as u64, found });
        };
        let expected = number(&header[24..28]) as u32;
        let found = crc32c::crc32c(&header[..24]);
        if expected != found {
            return Err(FrameError::DamagedHeader { expected: found, found: expected });
        }
        let written = number(&header[8..10]) as u16;
        if written != version {
            return Err(FrameError::UnknownVersion { kind, found: written, known: version });
        }
        let flags = number(&header[10..12]) as u16;
        if flags != 0 {
            return Err(FrameError::UnknownFlags { kind, found: flags });
        }
        let length = number(&header[12..20]);
        let end = length.saturating_add(HEADER as u64);
        let available = body.len() as u64;
        let payload = &body[..available.min(length) as usize];
        let sum = crc32c::crc32c(payload);
        let stated = number(&header[20..24]) as u32;
        let damage = if available < length {
            Some(FrameError::Truncated { expected: end, found: bytes.len() as u64 })
        } else if sum != stated {
            Some(FrameError::DamagedPayload { end, expected: stated, found: sum })
        } else if available > length {
            Some(FrameError::Trailing { end, extra: available - length })
        } else {
            None
        };
        Ok(Frame { kind, version, payload, damage })
    }
}

/// Up to eight little-endian bytes as a number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// What the first bytes of a file say it is.
fn name(start: &[u8]) -> String {
    match Kind::ALL.into_iter().find(|kind| kind.magic() == start) {
        Some(kind) => kind.to_string(),
        None => format!("a file that begins with \"{}\"", start.escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn errors_say_what_was_found() {
        let bytes = Frame::encode(Kind::Shard, 2, b"payload");
        let decode = |kind, version, bytes: &[u8]| {
            Frame::decode(kind, version, bytes).unwrap_err().to_string()
        };
        assert_eq!(Frame::decode(Kind::Shard, 2, &bytes), Ok(&b"payload"[..]));
        assert_eq!(
            decode(Kind::Table, 2, &bytes),
            "expected an endgame table, found a shard of games"
        );
        assert_eq!(
            decode(Kind::Shard, 1, &bytes),
            "a shard of games of format version 2, this program reads version 1; use a newer \
             menagerie"
        );
        assert_eq!(
            decode(Kind::Shard, 2, &bytes[..30]),
            "the file is cut off: expected 35 bytes, found 30"
        );
        assert_eq!(decode(Kind::Shard, 2, b""), "the file is cut off: expected 28 bytes, found 0");
        assert_eq!(
            decode(Kind::Shard, 2, b"PK\x03\x04zip file"),
            "expected a shard of games, found a file that begins with \"PK\\x03\\x04zip \""
        );
        let longer = [&bytes[..], b"xyz"].concat();
        assert_eq!(
            decode(Kind::Shard, 2, &longer),
            "3 bytes too many: the content ends at byte 35"
        );
    }

    #[test]
    fn flags_that_nobody_knows_are_refused() {
        let mut bytes = Frame::encode(Kind::Shard, 1, b"payload");
        bytes[10..12].copy_from_slice(&0x0100u16.to_le_bytes());
        let header = crc32c::crc32c(&bytes[..24]);
        bytes[24..28].copy_from_slice(&header.to_le_bytes());
        let error = Frame::decode(Kind::Shard, 1, &bytes).unwrap_err();
        assert_eq!(error, FrameError::UnknownFlags { kind: Kind::Shard, found: 0x0100 });
        assert_eq!(
            error.to_string(),
            "a shard of games with the flags 0x0100, this program knows none; use a newer menagerie"
        );
    }

    #[test]
    fn a_damaged_payload_can_be_salvaged() {
        let bytes = Frame::encode(Kind::Shard, 1, b"payload");
        let frame = Frame::salvage(Kind::Shard, 1, &bytes[..31]).unwrap();
        assert_eq!(frame.payload, b"pay");
        assert_eq!(frame.damage, Some(FrameError::Truncated { expected: 35, found: 31 }));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(version: u16, payload: Vec<u8>) {
            let bytes = Frame::encode(Kind::State, version, &payload);
            prop_assert_eq!(Frame::decode(Kind::State, version, &bytes), Ok(&payload[..]));
        }

        #[test]
        fn every_truncation_and_every_flipped_bit_is_detected(payload: Vec<u8>, bit in 0u8..8) {
            let bytes = Frame::encode(Kind::Pack, 3, &payload);
            for end in 0..bytes.len() {
                prop_assert!(Frame::decode(Kind::Pack, 3, &bytes[..end]).is_err());
                let mut flipped = bytes.clone();
                flipped[end] ^= 1 << bit;
                prop_assert!(Frame::decode(Kind::Pack, 3, &flipped).is_err());
            }
        }

        #[test]
        fn any_bytes_are_refused_without_a_panic(mut bytes: Vec<u8>) {
            prop_assert!(Frame::decode(Kind::Shard, 1, &bytes).is_err());
            bytes.splice(0..0, Kind::Shard.magic());
            prop_assert!(Frame::decode(Kind::Shard, 1, &bytes).is_err());
        }
    }
}

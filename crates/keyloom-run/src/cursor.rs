//! Where a page goes on: a position by value, bound to its pattern, its inputs and its layout, and signed.
//!
//! A cursor is no secret, but nobody can make one up: a made-up position would be a way round every filter that is part
//! of the call.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_store::Table;

use crate::{
    digest::{digest, same, seal},
    problem::Problem,
    read::Position,
};

const FORMAT: u8 = 2;
const SEAL: usize = 16;

/// Where a page goes on, and in which direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Against the order of the list.
    pub(crate) backwards: bool,
    /// What it stands behind; `None` for the very start, or going backwards the very end.
    pub(crate) behind: Option<Position>,
}

/// What a cursor is bound to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) secret: &'a [u8; 32],
    pub(crate) pattern: &'a str,
    /// The order of the list, where it has several.
    pub(crate) order: &'a str,
    /// The table that is read: a position is one in its order. Another table, or the same with another key, refuses it.
    pub(crate) place: [u8; 4],
    /// Stands for all inputs but the size of a page.
    pub(crate) inputs: [u8; 16],
}

impl Cursor {
    pub(crate) fn write(&self, binding: &Binding<'_>) -> String {
        let edge = self.behind.as_ref().is_some_and(|position| position.edge);
        let flags = u8::from(self.backwards) | u8::from(self.behind.is_some()) << 1 | u8::from(edge) << 2;
        let mut bytes = vec![FORMAT, flags];
        bytes.extend(binding.place);
        bytes.extend(binding.inputs);
        if let Some(Position { behind, range, .. }) = &self.behind {
            bytes.extend(range.to_le_bytes());
            bytes.extend(behind);
        }
        let sealed = binding.seal(&bytes);
        bytes.extend(sealed);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub(crate) fn read(text: &str, binding: &Binding<'_>) -> Result<Self, Problem> {
        let strange = || Problem::Cursor("this is no cursor that a page of this list gave out".into());
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| strange())?;
        let (bytes, sealed) = bytes.split_at_checked(bytes.len().saturating_sub(SEAL)).ok_or_else(strange)?;
        if !same(&binding.seal(bytes), sealed) {
            return Err(strange());
        }
        let [FORMAT, flags, rest @ ..] = bytes else { return Err(strange()) };
        let (place, rest) = rest.split_first_chunk::<4>().ok_or_else(strange)?;
        let (inputs, behind) = rest.split_first_chunk::<16>().ok_or_else(strange)?;
        if *place != binding.place {
            return Err(Problem::Cursor(
                "the tables were laid out anew since this cursor was given out: begin again".into(),
            ));
        }
        if *inputs != binding.inputs {
            return Err(Problem::Cursor(
                "this cursor was given out for other inputs; only `limit` may change from page to page".into(),
            ));
        }
        let mut position = None;
        if flags & 2 != 0 {
            let (range, behind) = behind.split_first_chunk().ok_or_else(strange)?;
            let range = u32::from_le_bytes(*range);
            position = Some(Position { behind: behind.to_vec(), range, edge: flags & 4 != 0 });
        }
        Ok(Self { backwards: flags & 1 != 0, behind: position })
    }
}

/// Stands for the order in which the rows of a table are.
pub(crate) fn place(table: &Table) -> [u8; 4] {
    let directions: Vec<u8> = table.sort.iter().map(|column| u8::from(column.descending)).collect();
    let names = table.key_names().map(str::as_bytes);
    let parts: Vec<&[u8]> = [table.name.as_bytes(), &directions].into_iter().chain(names).collect();
    let [a, b, c, d, ..] = digest("place", &parts);
    [a, b, c, d]
}

impl Binding<'_> {
    fn seal(&self, bytes: &[u8]) -> [u8; SEAL] {
        seal(self.secret, "cursor", &[self.pattern.as_bytes(), self.order.as_bytes(), bytes])
    }
}

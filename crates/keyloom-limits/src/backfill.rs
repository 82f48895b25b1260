//! An index that is made of a table in which there are rows already.

use futures_util::future::join_all;
use keyloom_store::{Fault, Row};

use crate::{
    entry::{Content, Moved},
    limited::{Limited, Under},
    tables::Held,
    weight,
    write::BEGINNING,
};

/// How many rows are put at once.
const PIECE: u32 = 200;

impl<S: Under> Limited<S> {
    /// Puts all rows of a table into its index.
    pub(crate) async fn fill(&self, index: &Held) -> Result<(), Fault> {
        let Some((base, _)) = index.of else { return Ok(()) };
        let base = self.held(base)?;
        // Nobody writes meanwhile.
        let mut stripes = join_all(self.stripes.iter().map(futures_util::lock::Mutex::lock)).await;
        let Some(first) = stripes.first_mut() else { return Ok(()) };
        for segment in self.inner.segments(base.id, 1).await? {
            let mut from = None;
            loop {
                let swept = self.inner.sweep(base.id, &segment, from.as_ref(), PIECE, BEGINNING).await?;
                let moved = swept.rows.iter().map(|row| entry(&base, index, row));
                let moved = moved.collect::<Result<Vec<Option<Moved>>, Fault>>()?;
                let moved: Vec<Moved> = moved.into_iter().flatten().collect();
                if !moved.is_empty() {
                    self.ride(0, first, &[], &moved, BEGINNING).await?;
                }
                match swept.resume {
                    Some(resume) => from = Some(resume),
                    None => break,
                }
            }
        }
        Ok(())
    }
}

fn entry(base: &Held, index: &Held, row: &Row) -> Result<Option<Moved>, Fault> {
    let content = Content::of_row(&base.shape, row, weight::stored(&base.shape, row)?)?;
    let all = Moved::all(base, None, content.as_ref());
    Ok(all.into_iter().find(|moved| moved.index == index.id))
}

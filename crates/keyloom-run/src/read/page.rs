//! Pages of lists, first rows, and counts.

use keyloom_plan::Wants;

use super::{
    Asking, Found,
    merge::{Merged, Position, Reading, Spot},
};
use crate::{
    answer::Answer,
    cursor::{Binding, Cursor, place},
    problem::Problem,
    program::{Access, Reach, Slices},
    run::{Call, Run},
    shown::{Object, Shown},
};

impl Run {
    /// A page of a list.
    pub(super) async fn page(
        &self,
        access: &Access,
        order: Option<&str>,
        call: &Call<'_>,
        asking: &Asking<'_>,
    ) -> Result<Answer, Problem> {
        let slices = slices(access)?;
        let Wants::Rows { page, goes_on } = access.wants else { return Err(no_list()) };
        let limit = match call.limit {
            Some(limit) if (1..=page).contains(&limit) => limit,
            Some(limit) => return Err(Problem::Input(format!("`limit`: {limit}, but a page has 1 to {page} rows"))),
            None => page,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let (_, shape) = self.table(slices.table);
        let binding = Binding {
            secret: &self.secret,
            pattern: call.pattern,
            order: order.unwrap_or_default(),
            place: place(shape.table()),
            inputs: call.inputs.digest(call.pattern, &call.inputs.caller().seal())?,
        };
        let cursor = match call.cursor {
            Some(_) if !goes_on => {
                return Err(Problem::Cursor(
                    "this list has no pages: it answers with its first rows and no more".into(),
                ));
            }
            Some(text) => Some(Cursor::read(text, &binding)?),
            None => None,
        };
        let backwards = cursor.as_ref().is_some_and(|cursor| cursor.backwards);
        let after = cursor.as_ref().and_then(|cursor| cursor.behind.as_ref());
        // One row more than the page says whether there is a next one.
        let wanted = limit + usize::from(goes_on);
        let Merged { mut rows, stopped } = self.list(access, asking, after, backwards, wanted).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if backwards {
            rows.reverse();
        }
        let partial = stopped.is_some();
        // Behind the first and the last row there is something if the page was reached from there, or more was read. A page
        // without rows leads back to where there are some: to the end of the list, or to its start.
        let resumed = after.is_some();
        let (ahead, before) = if backwards { (resumed, more || partial) } else { (more || partial, resumed) };
        let position = |row: Option<&(Spot, Found<'_>)>, backwards: bool, towards: bool| {
            let seen = row.map(|(spot, found)| spot.position(found));
            let behind = if towards { stopped.clone().or(seen) } else { seen };
            Cursor { backwards, behind }.write(&binding)
        };
        let next = (ahead && goes_on).then(|| position(rows.last(), false, !backwards));
        let previous = (before && goes_on).then(|| position(rows.first(), true, backwards));
        let found: Vec<&Found<'_>> = rows.iter().map(|(_, found)| found).collect();
        let shown = self.shown(self.entity(access.entity), &access.outputs, &found, asking.now_us).await?;
        Ok(Answer::Rows { rows: shown.into_iter().map(Object::shown).collect(), next, previous, partial })
    }

    /// The first rows of a list that comes with a row.
    pub(super) async fn first_rows(&self, access: &Access, asking: &Asking<'_>) -> Result<Vec<Shown>, Problem> {
        let Wants::Rows { page, .. } = access.wants else { return Err(no_list()) };
        let wanted = usize::try_from(page).unwrap_or(usize::MAX);
        let merged = self.list(access, asking, None, false, wanted).await?;
        let found: Vec<&Found<'_>> = merged.rows.iter().map(|(_, found)| found).collect();
        let shown = self.shown(self.entity(access.entity), &access.outputs, &found, asking.now_us).await?;
        Ok(shown.into_iter().map(Object::shown).collect())
    }

    /// How many rows there are, as far as they are counted.
    pub(super) async fn count(&self, access: &Access, asking: &Asking<'_>, up_to: u64) -> Result<Answer, Problem> {
        // One more says whether there are more.
        let wanted = usize::try_from(up_to.saturating_add(1)).unwrap_or(usize::MAX);
        let merged = self.list(access, asking, None, false, wanted).await?;
        let counted = merged.rows.len() as u64;
        Ok(Answer::Count { count: counted.min(up_to), at_least: counted > up_to || merged.stopped.is_some() })
    }

    async fn list<'a>(
        &'a self,
        access: &'a Access,
        asking: &Asking<'_>,
        after: Option<&Position>,
        backwards: bool,
        wanted: usize,
    ) -> Result<Merged<'a>, Problem> {
        let (slices, entity) = (slices(access)?, self.entity(access.entity));
        let ranges = self.ranges(entity, slices, asking)?;
        let between = self.between(entity, slices, asking)?;
        let reverse = backwards != slices.backward;
        let (ranges, between, shape) = (&ranges[..], &between, self.table(slices.table).1);
        self.merged(&Reading { access, slices, entity, asking, shape, ranges, between, after, reverse, wanted }).await
    }
}

fn slices(access: &Access) -> Result<&Slices, Problem> {
    match &access.reach {
        Reach::Slices(slices) => Ok(slices),
        Reach::Get(_) | Reach::Via { .. } => Err(no_list()),
    }
}

fn no_list() -> Problem {
    Problem::Broken("a list is asked for, and one row is planned".into())
}

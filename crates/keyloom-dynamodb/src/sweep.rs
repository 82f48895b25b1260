//! `Sweep`: all rows of a table, by `Scan` in segments.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use keyloom_store::{Fault, Millis, Resume, Segment, Sweep, Swept, TableId, refuse};
use keyloom_value::key as key_form;

use crate::{fault::Call, item, store::DynamoDb};

/// As many segments as DynamoDB takes.
const SEGMENTS_MAX: u32 = 1_000_000;

impl Sweep for DynamoDb {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(&self.layout(table)?.shape)?;
        let parts = parts.clamp(1, SEGMENTS_MAX);
        Ok((0..parts).map(|part| Segment([part.to_be_bytes(), parts.to_be_bytes()].concat())).collect())
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.swept(table, segment, from, rows_max, now).await
    }
}

impl DynamoDb {
    pub(crate) async fn scan(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let layout = self.layout(table)?;
        refuse::sweep(&layout.shape)?;
        let (part, parts) = segment_of(segment)?;
        let from = match from {
            None => None,
            Some(Resume(form)) => {
                let key = key_form::decode(form, layout.shape.key_parts());
                let key = key.map_err(|_| Fault::refused("a sweep goes on where none ended"))?;
                Some(item::key(&layout, &key, &self.abilities)?)
            }
        };
        let call = self
            .client
            .scan()
            .table_name(&layout.table)
            .consistent_read(true)
            .segment(part)
            .total_segments(parts)
            .limit(i32::try_from(rows_max.max(1)).unwrap_or(i32::MAX))
            .set_exclusive_start_key(from)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = call.send().await.map_err(|error| self.fault(&layout, Call::Read, &error))?;
        let resume = answer.last_evaluated_key().map(|key| item::form(&layout, key)).transpose()?.map(Resume);
        let mut swept = Swept { rows: Vec::new(), leftovers: Vec::new(), resume };
        for found in answer.items() {
            let found = item::row(&layout, found, now)?;
            if found.there {
                swept.rows.push(found.row);
            } else if found.leftover {
                swept.leftovers.push(found.row);
            }
        }
        Ok(swept)
    }
}

fn segment_of(Segment(bytes): &Segment) -> Result<(i32, i32), Fault> {
    let foreign = || Fault::refused("a segment of another store");
    let (&part, rest) = bytes.split_first_chunk::<4>().ok_or_else(foreign)?;
    let parts: [u8; 4] = rest.try_into().map_err(|_| foreign())?;
    let (part, parts) = (u32::from_be_bytes(part), u32::from_be_bytes(parts));
    if part >= parts || parts > SEGMENTS_MAX {
        return Err(foreign());
    }
    // Both are below a million.
    Ok((part as i32, parts as i32))
}

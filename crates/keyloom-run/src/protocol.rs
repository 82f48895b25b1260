//! The rules by which companions follow, in one place.

/// Each rule is needed: the tests take one away at a time and must see it.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// Into how many lanes the dirty log is divided, so that no partition has to take all writes. Marks of ends stand there for
    /// years: there may be more lanes one day, but never fewer, and spans stay as long as they are.
    pub lanes: i64,
    /// How much of the time lies together in it.
    pub span_ms: i64,
    /// A mark is left to its writer for so long. One that was not acknowledged in half of that is no mark; the other
    /// half is for clocks that differ.
    pub settle_ms: i64,
    /// For how long a process may act on the layout that it read.
    pub term_ms: i64,
    /// How much later than it was sent something may arrive that a change of the layout waits for, where the layout does not
    /// say so.
    pub arrives_ms: i64,
    /// How many requests a row remembers itself; older ones have receipts.
    pub tokens_max: usize,
    /// How many places that it has left a row names.
    pub stale_max: usize,
    /// How many rows of a kind follow another one before a write is answered: parts that are deleted, rows that copy. The
    /// rest is left to those who settle marks.
    pub followed_at_once: u32,
    /// A row that is placed arrives with its mark within this time, so the log is read for so long where they do.
    pub late_ms: i64,
    /// Who changes the layout waits until all terms on the one before are over.
    pub waits_for_terms: bool,
    /// A list that is new is written only when all who write know it, and remove there what they leave.
    pub removes_first: bool,
    /// He settles all marks then: what is under way was marked, and is stopped.
    pub drains: bool,
    /// A row is marked before it is decided.
    pub marks: bool,
    /// Every try marks it again.
    pub marks_again: bool,
    /// A mark names the unique values that are taken and set free.
    pub marks_uniques: bool,
    /// A mark that came too late is none.
    pub marks_in_time: bool,
    /// It is read before it is marked.
    pub reads_first: bool,
    /// Who settles a mark decides the row once more; a look would not stop a writer that sleeps.
    pub touches: bool,
    /// He decides the reservations once more, too, so that no late claim of the writer gets them.
    pub touches_reservations: bool,
    /// An unknown is over when the row has another version; a look alone would not stop a request under way.
    pub fences: bool,
    /// A reservation gets a new version also when the row has it already.
    pub claims_again: bool,
    /// A reservation is set free if it has the version that was seen before its owner was decided.
    pub frees_by_version: bool,
    /// Who takes the value of a row that has ended first decides that it is gone.
    pub ends_first: bool,
    /// A row names the places that it has left.
    pub names_stale: bool,
    /// Who finds that a request was applied before sees to its companions, too.
    pub shows_found: bool,
    /// A refusal of a request that may have been sent before is decided.
    pub decides_refusals: bool,
    /// Which row a write by a unique value is about is written down before it is decided.
    pub registers: bool,
    /// Such a write looks whether its row has the value when it is decided.
    pub looks_at_value: bool,
    /// Who deletes a part looks once more whether what it belongs to is gone.
    pub looks_at_whole: bool,
    /// A part looks at what it belongs to after it stands in the list of parts.
    pub parts_look_again: bool,
    /// Who creates a row over one that is gone first sees to it that no parts are left.
    pub fells_first: bool,
    /// A row looks at what it copies after it stands in the list of those that do; where rows ride along, it is decided only
    /// if that is as it was read.
    pub copies_hold: bool,
    /// Who changes what is copied decides each row once more that copies it; a new image alone would be no newer than
    /// those that are under way.
    pub touches_copiers: bool,
    /// What is copied is followed after it has changed.
    pub walks_copiers: bool,
    /// What a row is to forget has its receipt before.
    pub receipts_first: bool,
    /// A repair removes a row by the version of the source that it was judged by; at a higher one it would remove what a
    /// writer placed meanwhile.
    pub repairs_by_version: bool,
    /// What is placed without a decision comes with all that follows from it.
    pub places_together: bool,
    /// Who puts or removes a row without a look at it looks behind himself whether something newer stands.
    pub looks_behind: bool,
    /// What is counted again is read behind its own version.
    pub versions_first: bool,
    /// A group is counted again when what feeds it is acknowledged.
    pub places_first: bool,
    /// What a list shows of a row that its caller has seen is dropped.
    pub drops_seen: bool,
    /// A source row that is older than what its caller has seen is looked at again.
    pub looks_at_seen_again: bool,
    /// It is put where it stands in the list, and nowhere else.
    pub seen_in_place: bool,
    /// It is counted at no earlier moment than before, whatever the own clock says.
    pub counts_forward: bool,
    /// Where something follows when a row ends, a mark stands in the span of its end.
    pub marks_ends: bool,
    /// Who settles the mark of an end touches the row if the version is not there that was to end: it may be under way.
    pub touches_ends: bool,
    /// He looks whether the row still ends there.
    pub looks_at_ends: bool,
    /// Groups that a row has left are counted again, too.
    pub recounts_left: bool,
    /// Who drops a place that a row has left counts its group again before.
    pub recounts_dropped: bool,
    /// A bucket is named, and that is acknowledged, before its first row is sent.
    pub names_first: bool,
    /// A bucket is named for as long as any of its rows last.
    pub names_outlast: bool,
}

impl Protocol {
    /// All of them, with the bounds that are run.
    pub const AS_DESIGNED: Self = Self {
        lanes: 8,
        span_ms: 60_000,
        settle_ms: 60_000,
        term_ms: 30_000,
        arrives_ms: 10_000,
        tokens_max: 16,
        stale_max: 8,
        followed_at_once: 100,
        late_ms: 60_000,
        waits_for_terms: true,
        removes_first: true,
        drains: true,
        marks: true,
        marks_again: true,
        marks_uniques: true,
        marks_in_time: true,
        reads_first: true,
        touches: true,
        touches_reservations: true,
        fences: true,
        claims_again: true,
        frees_by_version: true,
        ends_first: true,
        names_stale: true,
        shows_found: true,
        decides_refusals: true,
        registers: true,
        looks_at_value: true,
        looks_at_whole: true,
        parts_look_again: true,
        fells_first: true,
        copies_hold: true,
        touches_copiers: true,
        walks_copiers: true,
        receipts_first: true,
        repairs_by_version: true,
        places_together: true,
        looks_behind: true,
        versions_first: true,
        places_first: true,
        drops_seen: true,
        looks_at_seen_again: true,
        seen_in_place: true,
        counts_forward: true,
        marks_ends: true,
        touches_ends: true,
        looks_at_ends: true,
        recounts_left: true,
        recounts_dropped: true,
        names_first: true,
        names_outlast: true,
    };
}

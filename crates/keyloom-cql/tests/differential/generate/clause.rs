//! The clauses that the cases must cover.

macro_rules! clauses {
    ($($name:ident),* $(,)?) => {
        /// A clause, or a form of one, that a statement has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Clause { $($name),* }

        impl Clause {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

clauses!(
    Json,
    Distinct,
    Alias,
    Function,
    Aggregate,
    Cast,
    Arithmetic,
    ElementOrField,
    WritetimeOrTtl,
    Equal,
    Slice,
    In,
    Token,
    TupleRelation,
    TupleSlice,
    TupleIn,
    Contains,
    ContainsKey,
    MapElement,
    Like,
    IsNotNull,
    GroupBy,
    OrderBy,
    AnnOf,
    PerPartitionLimit,
    Limit,
    AllowFiltering,
    Marker,
    InsertValues,
    InsertJson,
    IfNotExists,
    UsingTtl,
    UsingTimestamp,
    SetValue,
    Append,
    Prepend,
    Remove,
    SetElement,
    SetField,
    IfExists,
    IfCondition,
    DeleteColumn,
    DeleteElement,
    DeleteRow,
    DeleteRange,
    LoggedBatch,
    UnloggedBatch,
    CounterBatch,
);

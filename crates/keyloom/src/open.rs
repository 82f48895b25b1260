//! Running a catalog inside a program.

use std::fmt;

use keyloom_check::{Config, all_rules, review};
use keyloom_finding::{
    Finding, Level, Sources,
    render::{Format, Report, Style, render},
};
use keyloom_model::Catalog;
use keyloom_serve::{Data, Db, UpError, today};
use keyloom_text::{Files, Unreadable, read};

/// Opens a catalog over its data, with the tables that `keyloom design` writes for it; [`Db::open`] takes others.
///
/// What HTTP does with keys is the program's own here: it says who calls with [`by`](keyloom_serve::Calling::by).
///
/// # Errors
/// When the catalog can't be run there, or the data can't be opened.
///
/// ```
/// use keyloom::{Answer, Data};
/// use serde_json::json;
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let catalog = keyloom::catalog(include_str!("../../../examples/shop/catalog.yaml"))?;
/// let db = keyloom::open(&catalog, &Data::folder(folder)).await?;
///
/// let signed_up = db.call("sign_up", json!({"name": "First user", "email": "first@example.com"})).await?;
/// let Answer::Applied { key, .. } = signed_up else { panic!("{signed_up:?}") };
/// let user = &key["user_id"];
///
/// // The same request again, as after an answer that got lost: it is the same order.
/// let (order, key) = (json!({"user_id": user, "items": [], "total": "12.50"}), keyloom::new_key());
/// db.call("place_order", order.clone()).key(&key).await?;
/// db.call("place_order", order).key(&key).again().await?;
///
/// let Answer::Rows { rows, next, .. } = db.call("list_orders_of_user", json!({"user_id": user})).limit(10).await? else {
///     panic!("a list answers with rows")
/// };
/// assert_eq!((rows.len(), next), (1, None));
/// assert_eq!(rows[0].json()["total"], "12.50");
///
/// db.close().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn open(catalog: &Catalog, data: &Data<'_>) -> Result<Db, UpError> {
    Db::open(catalog, None, data).await
}

/// Reads a catalog that is one text, if `check` finds no error in it.
///
/// # Errors
/// With all that `check` finds wrong.
///
/// ```
/// let wrong = keyloom::catalog("language: 1\ncatalog: shop\nentities: { User: { key: [id] } }\n").unwrap_err();
/// assert!(wrong.to_string().contains("catalog.yaml"));
/// ```
pub fn catalog(text: &str) -> Result<Catalog, Unsound> {
    struct One<'a>(&'a str);
    impl Files for One<'_> {
        fn open(&self, name: &str) -> Result<String, Unreadable> {
            if name == NAME { Ok(self.0.to_owned()) } else { Err(Unreadable::Missing) }
        }
    }
    let mut sources = Sources::default();
    let reading = read(NAME, &One(text), &mut sources);
    let catalog = reading.catalog.clone();
    let findings = review(&[reading], &sources, &Config::default(), today());
    let mut errors: Vec<Finding> = findings.into_iter().filter(|finding| finding.level == Level::Error).collect();
    if errors.is_empty() {
        return Ok(catalog);
    }
    keyloom_finding::sort(&mut errors, &sources);
    let rules = all_rules();
    let report = Report {
        findings: &errors,
        sources: &sources,
        rules: &rules,
        version: crate::VERSION,
        today: None,
        survey: None,
    };
    Err(Unsound(render(&report, Format::Text, Style { color: false, width: 100 })))
}

/// How a text without a file is called.
const NAME: &str = "catalog.yaml";

/// Why a text is no catalog that can be run: the findings, as `keyloom check` prints them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsound(String);

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsound {}

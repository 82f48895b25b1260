//! Surveys from a few lines of CQL, and what the review says to what was drafted from them.

use keyloom_check::{Config, review};
use keyloom_cql::ast::StatementKind;
use keyloom_cql::parse::parse;
use keyloom_cql::resolve::{Resolution, Verdict};
use keyloom_draft::{Draft, draft};
use keyloom_finding::{Finding, Level, Place, Sources};
use keyloom_model::Date;
use keyloom_survey::{BatchKind, BatchSite, Role, Site, Survey, Taken, Use, Written};
use keyloom_text::{Files, Unreadable, read};

/// A survey of a schema and of statements, each with the function that asks it; `+` before a function's name puts its
/// statements into one batch.
pub fn survey(schema: &str, statements: &[(&str, &str)]) -> Survey {
    let mut survey = Survey::default();
    let mut sources = Sources::default();
    let file = sources.add("schema.cql", schema);
    let mut keyspace = None;
    let whole = |text: &str| Place::new(file, 0..text.len());
    for statement in parse(schema).statements {
        let number = u32::try_from(survey.steps.len()).unwrap();
        let _ = survey.schema.apply(&statement, number, &mut keyspace);
        let written = written(statement, schema, keyspace.clone(), whole(schema));
        survey.steps.push(written);
    }
    for (at, (function, text)) in statements.iter().enumerate() {
        let place = Place::new(file, at..at + 1);
        for statement in parse(text).statements {
            assert!(!matches!(statement.kind, StatementKind::Skipped(_)), "{text}");
            let batched = function.strip_prefix('+');
            let number = statements.iter().position(|(other, _)| other == function);
            let number = u32::try_from(number.unwrap()).unwrap();
            let site = Site {
                function: Some(batched.unwrap_or(function).to_owned()).filter(|name| !name.is_empty()),
                batch: batched.map(|_| BatchSite {
                    id: number,
                    kind: BatchKind::Logged,
                    in_loop: false,
                    chunked: false,
                }),
                ..Site::default()
            };
            survey.uses.push(Use {
                written: written(statement, text, keyspace.clone(), place),
                resolution: Resolution { verdict: Verdict::Legal, access: None },
                role: Role::Service,
                site: Some(site),
                sites: Vec::new(),
                dynamic: false,
                taken: Taken::default(),
            });
        }
    }
    survey
}

fn written(statement: keyloom_cql::ast::Statement, text: &str, keyspace: Option<String>, whole: Place) -> Written {
    Written { statement, text: text.into(), keyspace, pieces: Vec::new().into(), whole }
}

/// What is drafted from a survey; places are numbers of statements.
pub fn drafted(schema: &str, statements: &[(&str, &str)]) -> Draft {
    draft(&survey(schema, statements), "shop", &|place| format!("shop.go:{}", place.start + 1))
}

/// What the review says against a catalog.
pub fn errors(text: &str) -> Vec<String> {
    findings(text)
        .iter()
        .filter(|finding| finding.level == Level::Error)
        .map(|finding| finding.message.clone())
        .collect()
}

/// Drafts a catalog and holds it to what any catalog must be.
pub fn holds(schema: &str, statements: &[(&str, &str)], seed: u64) -> Draft {
    let draft = drafted(schema, statements);
    let shown = || format!("seed {seed}\n{schema}\n{statements:#?}\n{}", draft.text);
    assert_eq!(errors(&draft.text), Vec::<String>::new(), "{}", shown());
    let mut sources = Sources::default();
    let file = sources.add("catalog.yaml", draft.text.clone());
    assert_eq!(keyloom_text::format(&sources, file).unwrap(), draft.text, "{}", shown());
    for (_, why) in &draft.left_out {
        assert!(!why.starts_with("the language does not take it"), "{why}\n{}", shown());
    }
    draft
}

fn findings(text: &str) -> Vec<Finding> {
    struct One(String);
    impl Files for One {
        fn open(&self, _name: &str) -> Result<String, Unreadable> {
            Ok(self.0.clone())
        }
    }
    let mut sources = Sources::default();
    let reading = read("catalog.yaml", &One(text.to_owned()), &mut sources);
    let today = Date::parse("2026-11-15").unwrap();
    review(&[reading], &sources, &Config::default(), today)
}

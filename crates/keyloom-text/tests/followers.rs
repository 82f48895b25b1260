//! Entities that follow from others have fields of their own, which the rows they are about must not have in their key.

use keyloom_finding::Sources;
use keyloom_text::{Files, Unreadable, read};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// The findings about an entity with this second key field, as rule and message; it keeps a history and emits events.
fn findings(key: &str, ty: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "language: 1
catalog: test
entities:
  Stay:
    key: [room_id, {key}]
    fields: {{ room_id: uuid, {key}: {ty}, guest: text(8..30) }}
    history: {{ of: [guest] }}
patterns:
  rename: {{ update: Stay, by: [room_id, {key}], set: {{ guest: $guest }}, emits: StayRenamed }}
  list_renamed: {{ list: StayRenamed, by: [room_id], order: at desc }}
  list_history: {{ list: StayHistory, by: [room_id], order: version desc }}
"
    );
    let reading = read("catalog.yaml", &One(text), &mut Sources::default());
    for entity in &reading.catalog.entities {
        let twice = entity
            .fields
            .iter()
            .enumerate()
            .find(|(at, field)| entity.fields[..*at].iter().any(|other| other.name == field.name));
        assert!(twice.is_none() || !reading.findings.is_empty(), "{} has a field twice: {twice:?}", entity.name);
    }
    reading.findings.into_iter().map(|finding| (finding.rule.name, finding.message)).collect()
}

#[test]
fn a_key_field_that_events_and_histories_have_too_is_refused() {
    let event = |name: &str| {
        ("bad-write", format!("every event has a field `{name}` of its own, and the key of Stay has one too"))
    };
    let history = |name: &str| {
        ("bad-value", format!("every history has a field `{name}` of its own, and the key of Stay has one too"))
    };
    assert_eq!(findings("at", "timestamp"), [history("at"), event("at")]);
    assert_eq!(findings("event_id", "uuid7"), [event("event_id")]);
    assert_eq!(findings("version", "int"), [history("version")]);
    assert_eq!(findings("from_day", "date"), []);
}

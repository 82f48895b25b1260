//! What a caller sends, read by the kinds that the pattern says.

use std::sync::Arc;

use keyloom_model::{Catalog, Input, Pattern};
use keyloom_value::{
    Kind, Value, canonical, from_text,
    json::{Unfit, from_json},
};
use serde_json::Value as Json;

use crate::{caller::Caller, digest::Parts, problem::Problem, seen::Seen, size::within_size};

/// The inputs that a pattern takes, by their names, with their kinds. They are looked up once, and shared by all calls.
pub(crate) type InputKinds = Arc<[(String, Kind)]>;

/// The inputs of one call, each of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    kinds: InputKinds,
    /// One for each; absent if it was not sent.
    values: Vec<Value<'static>>,
    caller: Caller,
    /// The caller's tenant, of its kind.
    tenant: Value<'static>,
    /// The request may have been sent before.
    repeated: bool,
    /// Rows that the caller has seen.
    seen: Vec<Seen>,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            kinds: InputKinds::default(),
            values: Vec::new(),
            caller: Caller::default(),
            tenant: Value::Null,
            repeated: false,
            seen: Vec::new(),
        }
    }
}

/// What a pattern takes.
pub(crate) struct Takes<'a> {
    catalog: &'a Catalog,
    pattern: &'a Pattern,
    kinds: &'a InputKinds,
    caller: &'a Caller,
}

/// The kinds of a pattern's inputs, in the order of their names.
pub(crate) fn input_kinds(catalog: &Catalog, pattern: &Pattern) -> InputKinds {
    let kind = |input: &Input| {
        let kind = Kind::of(&input.ty, catalog);
        if input.list_max.is_some() { Kind::List(Box::new(kind)) } else { kind }
    };
    let mut kinds: Vec<(String, Kind)> = pattern.inputs.iter().map(|input| (input.name.clone(), kind(input))).collect();
    kinds.sort_by(|(one, _), (other, _)| one.cmp(other));
    kinds.into()
}

impl<'a> Takes<'a> {
    pub(crate) fn new(catalog: &'a Catalog, pattern: &'a Pattern, kinds: &'a InputKinds, caller: &'a Caller) -> Self {
        Self { catalog, pattern, kinds, caller }
    }

    /// Reads the members of a JSON object.
    pub(crate) fn read_object(&self, body: &Json) -> Result<Inputs, Problem> {
        let object = body.as_object().ok_or_else(|| Unfit::new("the body is no JSON object with the inputs"))?;
        if let Some(name) = object.keys().find(|name| !self.knows(name)) {
            return Err(self.unknown(name, "input"));
        }
        self.read(|input, kind| {
            let Some(json) = object.get(&input.name).filter(|json| !json.is_null()) else { return Ok(None) };
            Ok(Some(from_json(json, kind)?))
        })
    }

    /// Reads query parameters; a list repeats its name.
    pub(crate) fn read_query(&self, query: &[(String, String)]) -> Result<Inputs, Problem> {
        if let Some((name, _)) = query.iter().find(|(name, _)| !self.knows(name)) {
            return Err(self.unknown(name, "query parameter"));
        }
        self.read(|input, kind| {
            let mut sent = query.iter().filter(|(name, _)| *name == input.name).map(|(_, text)| text);
            if let (Some(_), Kind::List(kind)) = (input.list_max, kind) {
                let values = sent.map(|text| from_text(text, kind)).collect::<Result<Vec<_>, _>>()?;
                return Ok((!values.is_empty()).then_some(Value::List(values)));
            }
            let Some(text) = sent.next() else { return Ok(None) };
            if sent.next().is_some() {
                return Err(Unfit::new("it stands twice"));
            }
            Ok(Some(from_text(text, kind)?))
        })
    }

    fn read(&self, one: impl Fn(&Input, &Kind) -> Result<Option<Value<'static>>, Unfit>) -> Result<Inputs, Problem> {
        let caller = self.caller.clone();
        if caller.subject.is_none() && self.pattern.looks_at_caller() {
            return Err(Problem::Caller("it looks at who calls: show a key, which has a subject".into()));
        }
        let values = vec![Value::Null; self.kinds.len()];
        let (kinds, tenant) = (Arc::clone(self.kinds), self.tenant()?);
        let mut inputs = Inputs { kinds, values, caller, tenant, repeated: false, seen: Vec::new() };
        for input in &self.pattern.inputs {
            let within = |fault: Unfit| fault.within(&input.name);
            let Some(at) = inputs.at(&input.name) else { continue };
            match one(input, &self.kinds[at].1).map_err(within)? {
                Some(value) => {
                    self.within_size(input, &value).map_err(within)?;
                    inputs.values[at] = value;
                }
                None if input.optional => {}
                None => {
                    let what = if input.list_max.is_some() { "list of " } else { "" };
                    let fault = Unfit::new(format!("it is missing: send a {what}{}", input.ty.word()));
                    return Err(within(fault).into());
                }
            }
        }
        Ok(inputs)
    }

    /// The tenant of the caller, where the catalog has tenants.
    fn tenant(&self) -> Result<Value<'static>, Problem> {
        let Some(tenant) = &self.catalog.tenant else { return Ok(Value::Null) };
        let Some(text) = &self.caller.tenant else {
            return Err(Problem::Caller("these rows belong to tenants: show a key of one".into()));
        };
        let strange = |_| Problem::Caller(format!("the tenant of this key is no {}", tenant.ty.word()));
        from_text(text, &Kind::of(&tenant.ty, self.catalog)).map_err(strange)
    }

    fn within_size(&self, input: &Input, value: &Value<'_>) -> Result<(), Unfit> {
        match (input.list_max, value) {
            (Some(max), Value::List(values)) if values.len() as u64 > max => {
                Err(Unfit::new(format!("{} values, but at most {max} are allowed", values.len())))
            }
            (Some(_), Value::List(values)) => {
                values.iter().try_for_each(|value| within_size(value, &input.ty, self.catalog))
            }
            _ => within_size(value, &input.ty, self.catalog),
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.pattern.inputs.iter().any(|input| input.name == name)
    }

    fn unknown(&self, name: &str, what: &str) -> Problem {
        let known: Vec<&str> = self.pattern.inputs.iter().map(|input| input.name.as_str()).collect();
        let name: String = name.chars().take(60).collect();
        let known =
            if known.is_empty() { "it takes none".to_owned() } else { format!("it takes: {}", known.join(", ")) };
        Problem::Input(format!("`{}` has no {what} `{name}`; {known}", self.pattern.name))
    }
}

impl Inputs {
    /// The same for a request that may have been sent before. Whatever it is answered is the last word: if it is refused,
    /// that is decided, so that no earlier attempt can be applied after it.
    #[must_use]
    pub fn sent_before(self) -> Self {
        Self { repeated: true, ..self }
    }

    pub(crate) fn is_repeated(&self) -> bool {
        self.repeated
    }

    pub(crate) fn with_seen(self, seen: Vec<Seen>) -> Self {
        Self { seen, ..self }
    }

    /// The rows of an entity that the caller has seen.
    pub(crate) fn seen_of(&self, entity: usize) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(move |seen| seen.entity == entity)
    }

    /// How many rows the caller has seen.
    pub(crate) fn seen(&self) -> u64 {
        self.seen.len() as u64
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The caller's tenant; absent where the catalog has none.
    pub(crate) fn tenant(&self) -> Value<'static> {
        self.tenant.clone()
    }

    /// An input's value; absent if it was not sent.
    pub(crate) fn value(&self, name: &str) -> Value<'static> {
        self.at(name).map_or(Value::Null, |at| self.values[at].clone())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.at(name).is_some_and(|at| !self.values[at].is_null())
    }

    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.at(name).map(|at| self.kinds[at].1.clone())
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.kinds.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()
    }

    /// Stands for these inputs of this pattern by this caller, for whom its seal stands: equal exactly when all are.
    pub(crate) fn digest(&self, pattern: &str, caller: &[u8; 16]) -> Result<[u8; 16], Problem> {
        let mut parts = Parts::of("inputs", &[pattern.as_bytes(), caller]);
        for ((_, kind), sent) in self.kinds.iter().zip(&self.values) {
            let written = parts.write(|out| {
                if sent.is_null() {
                    return Ok(());
                }
                out.push(1);
                canonical::encode(sent, kind, out)
            });
            written.map_err(Unfit::from)?;
        }
        Ok(parts.digest())
    }
}

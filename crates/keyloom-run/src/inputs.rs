//! What a caller sends, read by the kinds that the pattern says.

use std::collections::BTreeMap;

use keyloom_model::{Catalog, Input, Pattern};
use keyloom_value::{
    Kind, Value, canonical, from_text,
    json::{Unfit, from_json},
};
use serde_json::Value as Json;

use crate::{caller::Caller, digest::digest, problem::Problem, size::within_size};

/// The inputs of one call, each of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    kinds: BTreeMap<String, Kind>,
    values: BTreeMap<String, Value<'static>>,
    caller: Caller,
    /// The caller's tenant, of its kind.
    tenant: Value<'static>,
    /// The request may have been sent before.
    repeated: bool,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            kinds: BTreeMap::new(),
            values: BTreeMap::new(),
            caller: Caller::default(),
            tenant: Value::Null,
            repeated: false,
        }
    }
}

/// What a pattern takes.
pub(crate) struct Takes<'a> {
    catalog: &'a Catalog,
    pattern: &'a Pattern,
    caller: &'a Caller,
}

impl<'a> Takes<'a> {
    pub(crate) fn new(catalog: &'a Catalog, pattern: &'a Pattern, caller: &'a Caller) -> Self {
        Self { catalog, pattern, caller }
    }

    /// Reads the members of a JSON object.
    pub(crate) fn read_object(&self, body: &Json) -> Result<Inputs, Problem> {
        let object = body.as_object().ok_or_else(|| Unfit::new("the body is no JSON object with the inputs"))?;
        if let Some(name) = object.keys().find(|name| !self.knows(name)) {
            return Err(self.unknown(name, "input"));
        }
        self.read(|input| {
            let Some(json) = object.get(&input.name).filter(|json| !json.is_null()) else { return Ok(None) };
            Ok(Some(from_json(json, &self.kind(input))?))
        })
    }

    /// Reads query parameters; a list repeats its name.
    pub(crate) fn read_query(&self, query: &[(String, String)]) -> Result<Inputs, Problem> {
        if let Some((name, _)) = query.iter().find(|(name, _)| !self.knows(name)) {
            return Err(self.unknown(name, "query parameter"));
        }
        self.read(|input| {
            let mut sent = query.iter().filter(|(name, _)| *name == input.name).map(|(_, text)| text);
            let kind = Kind::of(&input.ty, self.catalog);
            if input.list_max.is_some() {
                let values = sent.map(|text| from_text(text, &kind)).collect::<Result<Vec<_>, _>>()?;
                return Ok((!values.is_empty()).then_some(Value::List(values)));
            }
            let Some(text) = sent.next() else { return Ok(None) };
            if sent.next().is_some() {
                return Err(Unfit::new("it stands twice"));
            }
            Ok(Some(from_text(text, &kind)?))
        })
    }

    fn read(&self, one: impl Fn(&Input) -> Result<Option<Value<'static>>, Unfit>) -> Result<Inputs, Problem> {
        let caller = self.caller.clone();
        if caller.subject.is_none() && self.pattern.looks_at_caller() {
            return Err(Problem::Caller("it looks at who calls: show a key, which has a subject".into()));
        }
        let mut inputs = Inputs { caller, tenant: self.tenant()?, ..Inputs::default() };
        for input in &self.pattern.inputs {
            let within = |fault: Unfit| fault.within(&input.name);
            match one(input).map_err(within)? {
                Some(value) => {
                    self.within_size(input, &value).map_err(within)?;
                    inputs.values.insert(input.name.clone(), value);
                }
                None if input.optional => {}
                None => {
                    let what = if input.list_max.is_some() { "list of " } else { "" };
                    let fault = Unfit::new(format!("it is missing: send a {what}{}", input.ty.word()));
                    return Err(within(fault).into());
                }
            }
            inputs.kinds.insert(input.name.clone(), self.kind(input));
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

    fn kind(&self, input: &Input) -> Kind {
        let kind = Kind::of(&input.ty, self.catalog);
        if input.list_max.is_some() { Kind::List(Box::new(kind)) } else { kind }
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

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The caller's tenant; absent where the catalog has none.
    pub(crate) fn tenant(&self) -> Value<'static> {
        self.tenant.clone()
    }

    /// An input's value; absent if it was not sent.
    pub(crate) fn value(&self, name: &str) -> Value<'static> {
        self.values.get(name).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).cloned()
    }

    /// Stands for these inputs of this pattern by this caller: equal exactly when all are.
    pub(crate) fn digest(&self, pattern: &str) -> Result<[u8; 16], Problem> {
        let mut bytes = Vec::new();
        for (name, kind) in &self.kinds {
            let mut value = Vec::new();
            if let Some(sent) = self.values.get(name) {
                value.push(1);
                canonical::encode(sent, kind, &mut value).map_err(Unfit::from)?;
            }
            bytes.push(value);
        }
        let caller = self.caller.seal();
        let parts: Vec<&[u8]> =
            [pattern.as_bytes(), &caller].into_iter().chain(bytes.iter().map(Vec::as_slice)).collect();
        Ok(digest("inputs", &parts))
    }
}

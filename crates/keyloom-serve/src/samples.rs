//! Calls to try, made from the catalog: create what a list's rows refer to, create such a row, list it.

use keyloom_model::{Action, Catalog, Endpoint, Entity, Fill, Pattern, ReadVerb, Type, WriteVerb};
use keyloom_run::{Caller, Role, Run, tenant_of};
use keyloom_value::{
    Kind, Value,
    json::{from_json, to_json},
    to_text,
};
use serde_json::{Map, Value as Json};

use crate::{development::Development, query::encoded};

/// Three commands that show something, each a line for a shell; none where the catalog has no list that can be filled. Keys of
/// development are shown in turn: the client makes something, the worker adds to it, the operator looks.
pub(crate) fn curls(
    run: &Run,
    address: &str,
    development: Option<&Development>,
    now_ms: i64,
    random: &mut dyn FnMut(&mut [u8]),
) -> Vec<String> {
    let mut samples = Samples { run, address, development, now_ms, random, made: Vec::new(), lines: Vec::new() };
    for pattern in &run.catalog().patterns {
        let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::List) else { continue };
        samples.made.clear();
        samples.lines.clear();
        if samples.make(&read.selection.entity, 2).is_some()
            && let Some(line) = samples.read(pattern, Role::Operator)
        {
            // Who made everything with one key has not shown the worker's yet.
            if development.is_some() && samples.lines.len() == 1 {
                samples.lines.extend(samples.read(pattern, Role::Worker));
            }
            samples.lines.push(line);
            return samples.lines;
        }
    }
    Vec::new()
}

/// One call of a pattern, for the page of endpoints. Everybody sees that page: a key stands in it by its name.
pub(crate) fn curl(run: &Run, pattern: &Pattern, address: &str, keyed: bool) -> Option<String> {
    let shown = if keyed { " -H \"Authorization: Bearer $KEYLOOM_KEY\"" } else { "" };
    let endpoint = Endpoint::of(run.catalog(), pattern)?;
    let mut body = Map::new();
    for input in pattern.inputs.iter().filter(|input| !input.optional) {
        let kind = Kind::of(&input.ty, run.catalog());
        let mut value = to_json(&value(run.catalog(), &input.ty, &input.name, entity_of(pattern), ""), &kind).ok()?;
        if input.list_max.is_some() {
            value = Json::Array(vec![value]);
        }
        body.insert(input.name.clone(), value);
    }
    if endpoint.method == "POST" {
        let key = "$(date +%s%N);$(date +%s)000";
        return Some(format!(
            "curl {address}/v1/{}{shown} -H \"Idempotency-Key: {key}\" -d '{}'",
            pattern.name,
            quoted(&Json::Object(body))
        ));
    }
    let query: Vec<String> = body
        .iter()
        .map(|(name, value)| format!("{name}={}", encoded(value.as_str().unwrap_or(&value.to_string()))))
        .collect();
    Some(format!("curl '{address}/v1/{}{}'{shown}", pattern.name, asked(&query)))
}

struct Samples<'a> {
    run: &'a Run,
    address: &'a str,
    development: Option<&'a Development>,
    now_ms: i64,
    random: &'a mut dyn FnMut(&mut [u8]),
    /// Rows that the lines so far make: the entity, and its body with its key.
    made: Vec<(String, Map<String, Json>)>,
    lines: Vec<String>,
}

impl Samples<'_> {
    /// Who sends a line with the key of this role, and what that line shows.
    fn shown(&self, role: Role) -> (Caller, String) {
        let Some(development) = self.development else { return (Caller::default(), String::new()) };
        let (key, holder) = development.key(role);
        let (_, client) = development.key(Role::Client);
        let caller = Caller { tenant: client.tenant.clone(), subject: Some(holder.subject.clone()) };
        let mut shown = format!(" -H 'Authorization: Bearer {}'", key.show());
        if let Some(tenant) = client.tenant.as_ref().filter(|_| role != Role::Client) {
            shown.push_str(&format!(" -H 'Keyloom-Tenant: {tenant}'"));
        }
        (caller, shown)
    }

    /// Makes a row of an entity, after those it refers to.
    fn make(&mut self, name: &str, depth: usize) -> Option<()> {
        let catalog = self.run.catalog();
        let entity = catalog.entity(name)?;
        let is_create = |pattern: &&Pattern| match &pattern.action {
            Action::Write(write) => write.verb == WriteVerb::Create && write.entity == name && write.batch.is_none(),
            _ => false,
        };
        let pattern = catalog.patterns.iter().find(is_create)?;
        let mut random = [0; 10];
        (self.random)(&mut random);
        let key = to_text(&Value::Uuid(keyloom_run::uuid7(self.now_ms, random)), &Kind::Uuid).ok()?;
        let mut body = Map::new();
        for input in pattern.inputs.iter().filter(|input| !input.optional) {
            let field = entity.field(&input.name);
            let reference = field.and_then(|field| field.reference.as_ref()).map(|reference| &reference.entity);
            let json = match reference {
                Some(other) if depth > 0 && other != name => {
                    if !self.made.iter().any(|(made, _)| made == other) {
                        self.make(other, depth - 1)?;
                    }
                    let (_, row) = self.made.iter().find(|(made, _)| made == other)?;
                    row.get(catalog.entity(other)?.key.last()?)?.clone()
                }
                _ => {
                    // What must differ from row to row differs from start to start.
                    let mark = if is_unique(entity, &input.name) {
                        format!("-{}", &key[key.len() - 6..])
                    } else {
                        String::new()
                    };
                    let kind = Kind::of(&input.ty, catalog);
                    to_json(&value(catalog, &input.ty, &input.name, name, &mark), &kind).ok()?
                }
            };
            body.insert(input.name.clone(), json);
        }
        let (caller, shown) = self.shown(if self.lines.is_empty() { Role::Client } else { Role::Worker });
        self.lines.push(format!(
            "curl {}/v1/{}{shown} -H 'Idempotency-Key: {key}' -d '{}'",
            self.address,
            pattern.name,
            quoted(&Json::Object(body.clone()))
        ));
        if let [identity] = &entity.key[..]
            && !body.contains_key(identity)
        {
            body.insert(identity.clone(), self.run.new_identity(name, &caller, &key).ok()??);
        }
        self.made.push((name.to_owned(), body));
        Some(())
    }

    /// Asks for what was made.
    fn read(&self, pattern: &Pattern, role: Role) -> Option<String> {
        let selection = pattern.selection()?;
        let (_, row) = self.made.iter().find(|(made, _)| *made == selection.entity)?;
        let mut query = Vec::new();
        for input in pattern.inputs.iter().filter(|input| !input.optional) {
            let kind = Kind::of(&input.ty, self.run.catalog());
            let value = from_json(row.get(&input.name)?, &kind).ok()?;
            query.push(format!("{}={}", input.name, encoded(&to_text(&value, &kind).ok()?)));
        }
        let (_, shown) = self.shown(role);
        Some(format!("curl '{}/v1/{}{}'{shown}", self.address, pattern.name, asked(&query)))
    }
}

/// A query, where there is any.
fn asked(query: &[String]) -> String {
    if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) }
}

/// A tenant to begin with, where the catalog has tenants.
pub(crate) fn sample_tenant(catalog: &Catalog) -> Option<String> {
    let tenant = catalog.tenant.as_ref()?;
    let value = value(catalog, &tenant.ty, &tenant.field, &catalog.name, "");
    tenant_of(catalog, &to_text(&value, &Kind::of(&tenant.ty, catalog)).ok()?).ok()
}

/// The entity that a pattern is about.
fn entity_of(pattern: &Pattern) -> &str {
    match &pattern.action {
        Action::Read(read) => &read.selection.entity,
        Action::Write(write) => &write.entity,
        _ => "row",
    }
}

/// JSON inside single quotes of a shell.
fn quoted(json: &Json) -> String {
    json.to_string().replace('\'', r"'\''")
}

/// Whether two rows may not have the same value here, directly or through a derived field.
fn is_unique(entity: &Entity, name: &str) -> bool {
    entity.unique.iter().flat_map(|unique| &unique.fields).any(|field| {
        let derived = entity.field(field).is_some_and(|field| match &field.fill {
            Fill::Derived(expr) => expr.paths().iter().any(|path| path.field == name),
            _ => false,
        });
        field == name || derived
    })
}

/// A value that fits a type, and its meaning as far as names tell: that of the field, and of what it is a field of.
fn value(catalog: &Catalog, ty: &Type, name: &str, of: &str, mark: &str) -> Value<'static> {
    match ty {
        Type::Uuid | Type::Uuid7 => Value::Uuid(keyloom_run::uuid7(1_767_225_600_000, [7; 10])),
        Type::Text(size) => {
            let text = match name {
                _ if name.contains("email") => format!("first{mark}@example.com"),
                "name" | "title" => format!("First {}{mark}", of.to_lowercase()),
                _ => format!("{}-1{mark}", name.replace('_', "-")),
            };
            Value::from(text.chars().take(usize::try_from(size.max).unwrap_or(usize::MAX)).collect::<String>())
        }
        Type::Bytes(size) => Value::from(vec![7; usize::try_from(size.max.min(8)).unwrap_or(8)]),
        Type::Json(_) => Value::Json("{}".into()),
        Type::Int => Value::Int(1),
        Type::Float => Value::Float(20.5),
        Type::Decimal { scale } => Value::Decimal(125 * 10i128.pow(u32::from(*scale).min(30)) / 10),
        Type::Bool => Value::Bool(true),
        Type::Date => Value::Date(20_772),
        Type::Timestamp { micros } => Value::Timestamp(1_794_735_000_000 * if *micros { 1_000 } else { 1 }),
        Type::Duration => Value::Duration(keyloom_value::Duration { days: 1, ..Default::default() }),
        Type::Ip => Value::Ip(std::net::Ipv4Addr::new(192, 0, 2, 1).into()),
        Type::Enum(_) => match Kind::of(ty, catalog) {
            Kind::Enum(variants) => Value::Enum(variants.first().map_or(0, |variant| variant.rank)),
            _ => Value::Null,
        },
        Type::List(item, _) => Value::List(vec![value(catalog, item, name, of, mark)]),
        Type::Set(item, _) => Value::Set(vec![value(catalog, item, name, of, mark)]),
        Type::Map(..) => Value::Map(Vec::new()),
        Type::Struct(holder) => {
            let members = catalog.struct_type(holder).into_iter().flat_map(|known| &known.members);
            let member = |(name, ty, optional): &(String, Type, bool)| {
                if *optional { Value::Null } else { value(catalog, ty, name, holder, mark) }
            };
            Value::Struct(members.map(member).collect())
        }
        Type::OneOf(types) => match types.first() {
            Some(ty) => Value::OneOf(0, Box::new(value(catalog, ty, name, of, mark))),
            None => Value::Null,
        },
    }
}

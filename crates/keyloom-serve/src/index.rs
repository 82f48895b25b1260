//! The page at `/`: what is served, and how to call it.

use keyloom_model::{Endpoint, Expr, Limit, Pattern, ReadVerb, Set, Type};
use keyloom_run::Run;

use crate::samples::curl;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1a1a1a;background:#fff}h2{font-size:1.05rem;margin:2rem 0 .3rem}code,pre{font:14px/1.4 ui-monospace,monospace}\
pre{background:#f3f3f0;padding:.6rem .8rem;overflow-x:auto;border-radius:4px}.method{display:inline-block;width:3.2rem;\
color:#555}table{border-collapse:collapse}td{padding:0 1.2rem 0 0;vertical-align:top}.note{color:#555}\
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181a}pre{background:#24272a}.method,.note{color:#aaa}}";

/// The page.
pub(crate) fn page(run: &Run, address: &str, keyed: bool) -> String {
    let catalog = run.catalog();
    let name = escaped(&catalog.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{name}</title><style>{STYLE}</style>\n<h1>{name}</h1>\n<p>Each pattern of \
         the catalog is an endpoint. Reads take query parameters; writes take a JSON object and the header \
         <code>Idempotency-Key</code>, new for each request and the same when it is repeated: a uuid of version 7, or \
         <code>name;unix-ms</code>, a name of up to 64 characters and the milliseconds since 1970. A problem is \
         answered as RFC 9457 has it. <a href=\"/openapi.json\">openapi.json</a> describes all this for programs.</p>\n"
    );
    if keyed {
        page.push_str(
            "<p>Each request shows a key: <code>Authorization: Bearer kl_..</code>. A key of a worker or an operator names the \
             tenant it acts for in <code>Keyloom-Tenant</code>, where there are tenants; other keys have one of their own. \
             <code>keyloom key add</code> makes them.</p>\n",
        );
    }
    for pattern in &catalog.patterns {
        let Some(endpoint) = Endpoint::of(catalog, pattern) else { continue };
        page.push_str(&format!(
            "<h2 id=\"{0}\"><span class=\"method\">{1}</span><code>/v1/{0}</code></h2>\n",
            escaped(&pattern.name),
            endpoint.method
        ));
        if let Some(doc) = &pattern.doc {
            page.push_str(&format!("<p>{}</p>\n", escaped(doc)));
        }
        page.push_str("<table>");
        for input in &endpoint.inputs {
            let optional = if input.optional { ", may be left out" } else { "" };
            let many = input.list_max.map_or_else(String::new, |max| format!(", up to {max} times"));
            let bound = if is_end(pattern, &input.name) { ", exclusive" } else { "" };
            let words = format!("{}{many}{bound}{optional}", type_words(&input.ty));
            page.push_str(&row(&input.name, &words));
        }
        if let Some((most, goes_on)) = rows_most(pattern) {
            page.push_str(&row("limit", &format!("int, 1 to {most} rows, may be left out")));
            if goes_on {
                page.push_str(&row("cursor", "<code>next</code> or <code>previous</code> of a page, may be left out"));
            }
        }
        page.push_str("</table>\n");
        let answer = escaped(&envelope(pattern, &endpoint));
        page.push_str(&format!("<p class=\"note\">answers with <code>{answer}</code></p>\n"));
        if !endpoint.reasons.is_empty() {
            let reasons = endpoint.reasons.join(", ");
            page.push_str(&format!("<p class=\"note\">not applied with: {}</p>\n", escaped(&reasons)));
        }
        if let Some(example) = curl(run, pattern, address, keyed || pattern.looks_at_caller()) {
            page.push_str(&format!("<pre>{}</pre>\n", escaped(&example)));
        }
    }
    page
}

/// A line about something that a caller sends.
fn row(name: &str, words: &str) -> String {
    format!("<tr><td><code>{}</code><td>{words}", escaped(name))
}

/// A type as a caller needs it: how large a value may be, not how large most are.
fn type_words(ty: &Type) -> String {
    escaped(&match ty {
        Type::Text(size) | Type::Bytes(size) | Type::Json(size) => format!("{}, at most {} bytes", ty.word(), size.max),
        Type::List(_, count) | Type::Set(_, count) | Type::Map(_, _, count) => {
            let most = count.worst.map_or_else(String::new, |most| format!(", at most {most}"));
            format!("{}{most}", ty.word())
        }
        ty => ty.word(),
    })
}

/// How many rows a list answers with at most, and whether it goes on behind them.
fn rows_most(pattern: &Pattern) -> Option<(u64, bool)> {
    let read = pattern.read().filter(|read| read.verb == ReadVerb::List)?;
    Some(match read.limit {
        Some(Limit::Page(rows)) => (rows, true),
        Some(Limit::First(rows)) => (rows, false),
        None => (Limit::ASSUMED_ROWS, true),
    })
}

/// Whether an input is the end of a range, which does not belong to it.
fn is_end(pattern: &Pattern, name: &str) -> bool {
    let is_input = |end: &Expr| matches!(end, Expr::Input { name: known, .. } if known == name);
    let mut found = false;
    if let Some(filter) = pattern.read().and_then(|read| read.selection.filter.as_ref()) {
        filter.walk(&mut |part| found |= matches!(part, Expr::In(_, Set::Range(_, Some(end))) if is_input(end)));
    }
    found
}

/// What comes back, with the names of fields in place of their values.
fn envelope(pattern: &Pattern, endpoint: &Endpoint) -> String {
    let fields = endpoint.outputs.iter().map(|output| output.name.as_str()).collect::<Vec<_>>().join(", ");
    match pattern.read().map(|read| read.verb) {
        Some(ReadVerb::List) => match rows_most(pattern) {
            Some((_, true)) => format!("{{\"rows\":[{{{fields}}}, ..],\"next\":..,\"previous\":..}}"),
            _ => format!("{{\"rows\":[{{{fields}}}, ..]}}"),
        },
        Some(_) => format!("{{\"row\":{{{fields}}},\"version\":..}}"),
        None => "{\"outcome\":\"applied\",\"key\":{..},\"version\":..}".to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! The page at `/`: what is served, and how to call it.

use keyloom_model::Endpoint;
use keyloom_run::Run;

use crate::samples::curl;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1a1a1a;background:#fff}h2{font-size:1.05rem;margin:2rem 0 .3rem}code,pre{font:14px/1.4 ui-monospace,monospace}\
pre{background:#f3f3f0;padding:.6rem .8rem;overflow-x:auto;border-radius:4px}.method{display:inline-block;width:3.2rem;\
color:#555}table{border-collapse:collapse}td{padding:0 1.2rem 0 0;vertical-align:top}.note{color:#555}\
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181a}pre{background:#24272a}.method,.note{color:#aaa}}";

/// The page.
pub(crate) fn page(run: &Run, address: &str) -> String {
    let catalog = run.catalog();
    let name = escaped(&catalog.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{name}</title><style>{STYLE}</style>\n<h1>{name}</h1>\n<p>Each pattern of \
         the catalog is an endpoint. Reads take query parameters; writes take a JSON object and the header \
         <code>Idempotency-Key</code>, a uuid of version 7, new for each request and the same when it is repeated.</p>\n"
    );
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
            page.push_str(&format!(
                "<tr><td><code>{}</code><td>{}{optional}",
                escaped(&input.name),
                escaped(&input.ty.to_string())
            ));
        }
        page.push_str("</table>\n");
        if !endpoint.reasons.is_empty() {
            let reasons = endpoint.reasons.join(", ");
            page.push_str(&format!("<p class=\"note\">not applied with: {}</p>\n", escaped(&reasons)));
        }
        if let Some(example) = curl(run, pattern, address) {
            page.push_str(&format!("<pre>{}</pre>\n", escaped(&example)));
        }
    }
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

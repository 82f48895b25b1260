//! The page that `keyloom design --report` writes: the same every time, proof against what a catalog says, and sound in a browser.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the command is tested with real files, and a broken set-up must stop the test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use keyloom_engines::{Chromium, announce, available};

const SUITE: &str = "report";
const ENGINES: [&str; 3] = ["embedded", "cassandra", "dynamodb"];
const EXAMPLES: [&str; 5] = ["cases", "cases-core", "chat", "sensors", "shop"];

/// What a browser is asked about a page: whether it fits into its window, leads where it says, and draws text into its boxes.
const AUDIT: &str = r"
const bad = words => console.error('audit: ' + words);
const page = document.documentElement;
if (page.scrollWidth > innerWidth) bad(page.scrollWidth + ' points wide in a window of ' + innerWidth);
if (document.querySelectorAll('script, img, iframe, object, link, form').length > 1) bad('an element that nobody wrote');
const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
if (new Set(ids).size < ids.length) bad('an id twice');
for (const link of document.querySelectorAll('a')) {
  const to = link.getAttribute('href');
  if (!to.startsWith('#') || !ids.includes(to.slice(1))) bad('leads nowhere: ' + to);
}
const nodes = [...document.querySelectorAll('.map .node')];
if (nodes.length == 0) bad('nothing is drawn');
const grounds = nodes.map(node => node.querySelector('.ground').getBBox());
nodes.forEach((node, at) => {
  const ground = grounds[at];
  for (const text of node.querySelectorAll('text')) {
    const box = text.getBBox();
    if (box.x + box.width > ground.x + ground.width || box.y + box.height > ground.y + ground.height + 2)
      bad('beyond its box: ' + text.textContent);
  }
  grounds.slice(at + 1).forEach((other, more) => {
    const apart = other.x >= ground.x + ground.width || ground.x >= other.x + other.width
      || other.y >= ground.y + ground.height || ground.y >= other.y + other.height;
    if (!apart) bad('one over the other: ' + node.textContent + ' and ' + nodes[at + 1 + more].textContent);
  });
});
";

/// Texts that would do something if a page took them for its own, in every place where a catalog has free text.
const HOSTILE: &str = r#"language: 1
catalog: hostile
entities:
  Note:
    key: [note_id]
    doc: "</style></script><script>console.error('entity')</script>"
    fields:
      note_id: uuid = new
      user_id: uuid
      label: text(1..80)
      at: timestamp = now
    volume: { rows: 1M, growth: 1k/day }
    groups: { user_id: 10 / 100 / 300k }
    expires: forever
patterns:
  add_note: { create: Note, takes: [user_id, label], rate: 5/s, owner: "<img src=x onerror=console.error(1)>" }
  list_notes:
    list: Note
    by: [user_id]
    where: "label = '\"></text></svg><script>console.error(document.domain)</script>'"
    order: at desc
    page: 20
    doc: "</p><svg onload=console.error('doc')> & <b>bold</b> --> \u202Eevil"
    owner: "'\"><iframe srcdoc='<script>parent.console.error(2)</script>'>"
    freshness: 5s
    rate: 200/s
"#;

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The page of a catalog on an engine, and what the command said.
fn page(catalog: &Path, engine: &str, into: &Path) -> (String, String) {
    let mut design = Command::new(env!("CARGO_BIN_EXE_keyloom"));
    design.arg("design").arg(catalog).args(["--engine", engine, "--report"]).arg(into);
    let output = design.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{said}{}", String::from_utf8_lossy(&output.stderr));
    (fs::read_to_string(into.join("index.html")).unwrap(), said)
}

#[test]
fn the_same_design_is_the_same_page_and_another_is_not_written_over() {
    let folder = folder("same");
    let (first, said) = page(&example("cases"), "cassandra", &folder.join("new/one"));
    let (second, _) = page(&example("cases"), "cassandra", &folder.join("two"));
    assert_eq!(first, second);
    assert!(said.starts_with("wrote ") && said.ends_with("index.html\n"), "{said}");
    for words in ["task_open_by_assignee_due", "list_open_tasks_for_assignee", "<h2>Layout</h2>", "runner-up"] {
        assert!(first.contains(words), "the page says nothing of {words}");
    }
    let mut other = Command::new(env!("CARGO_BIN_EXE_keyloom"));
    other.arg("design").arg(example("shop")).arg("--report").arg(folder.join("two"));
    assert_eq!(other.output().unwrap().status.code(), Some(2), "somebody may have changed what is there");
    assert!(other.arg("--force").output().unwrap().status.success());
}

#[test]
fn nothing_that_a_catalog_says_is_taken_for_mark_up() {
    let folder = folder("hostile-text");
    fs::write(folder.join("catalog.yaml"), HOSTILE).unwrap();
    for engine in ENGINES {
        let (page, _) = page(&folder, engine, &folder.join(engine));
        for mark_up in ["<script", "<img", "<iframe", "<b>", "<svg onload", "\u{202e}"] {
            assert!(!page.contains(mark_up), "{mark_up} stands in the page");
        }
        assert!(page.contains("&lt;script&gt;console.error(document.domain)"), "the text itself is to be read");
        assert!(page.contains("&lt;img src=x"), "{page}");
    }
}

#[test]
fn pages_are_sound_in_a_browser() {
    let Some(chromium) = available(SUITE, "chromium", Chromium::fetch()) else { return };
    let folder = folder("browser");
    fs::write(folder.join("catalog.yaml"), HOSTILE).unwrap();
    let examples = EXAMPLES.map(|name| (name, example(name)));
    let catalogs = examples.into_iter().chain([("hostile", folder.clone())]);
    let mut looked_at = 0;
    for (name, catalog) in catalogs {
        for engine in ENGINES {
            let into = folder.join(format!("{name}-{engine}"));
            let (text, _) = page(&catalog, engine, &into);
            sound(&chromium, &into, &text);
            looked_at += 1;
        }
    }
    announce(SUITE, "chromium", looked_at, 0);
}

/// Looks at a page in a wide window, in one of half its width, and on something like a telephone.
fn sound(chromium: &Chromium, folder: &Path, page: &str) {
    let own = folder.join("index.html");
    assert_eq!(chromium.open(&own, (1280, 900), None).unwrap().console, Vec::<String>::new(), "{}", own.display());
    // The page itself runs nothing. In a copy that could, the audit runs, and what a catalog says must still do nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    assert!(page.contains(&policy.replace('\'', "&#39;")), "a page without a policy");
    let open = page.replace(&policy.replace('\'', "&#39;"), "default-src * 'unsafe-inline' data:");
    let audited = folder.join("audited.html");
    fs::write(&audited, open.replace("</body>", &format!("<script>{AUDIT}</script></body>"))).unwrap();
    // A window can't be made as narrow as a telephone; a frame can.
    let narrow = folder.join("narrow.html");
    fs::write(&narrow, "<!doctype html><iframe src=audited.html width=390 height=800></iframe>").unwrap();
    for (page, size) in [(&audited, (1280, 900)), (&audited, (760, 900)), (&narrow, (760, 900))] {
        let heard = chromium.open(page, size, None).unwrap().console;
        assert_eq!(heard, Vec::<String>::new(), "{} at {size:?}", page.display());
    }
}

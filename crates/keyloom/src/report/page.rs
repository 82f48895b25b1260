//! The page, section by section.

use keyloom_finding::{Finding, Level};
use keyloom_model::layout::Table;
use keyloom_plan::{Does, Program, Reach, ReadPlan};
use keyloom_size::{break_lines, cost_plot, growth_plot, partition_lines, pattern_lines, summary, table_lines};

use super::Report;
use super::diagram::diagram;
use super::html::Html;
use crate::show::{
    Argument, Part, Piece, Words, answers, argue, asked, copied, cost, elsewhere, headline, limits, part_text,
    sort_text,
};

/// Nothing is loaded and nothing is run, whatever a text of the catalog says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE: &str = include_str!("style.css");

const SECTIONS: [(&str, &str); 8] = [
    ("diagram", "Diagram"),
    ("patterns", "Patterns"),
    ("tables", "Tables"),
    ("growth", "Growth"),
    ("cost", "Cost"),
    ("open", "Open"),
    ("findings", "Findings"),
    ("layout", "Layout"),
];

/// The page of a design.
pub fn report(of: &Report<'_>) -> String {
    let explained = &of.explained;
    let catalog = &explained.program.catalog;
    let arguments: Vec<Argument<'_>> = catalog.patterns.iter().map(|pattern| argue(explained, pattern)).collect();
    let title = format!("{} on {}", catalog.name, explained.sizes.engine.title());
    let mut html = Html::default();
    html.made("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.begin("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    html.made("\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    html.line("title", &[], &title);
    html.element("style", &[], |html| html.made(STYLE));
    html.made("\n</head>\n<body>\n");
    html.element("header", &[], |html| head(html, of, &title, &arguments));
    html.element("nav", &[("aria-label", "Sections")], |html| {
        html.element("ul", &[], |html| {
            for (id, name) in SECTIONS {
                html.element("li", &[], |html| html.line("a", &[("href", &format!("#{id}"))], name));
            }
        });
    });
    html.end_line();
    html.element("main", &[], |html| {
        let contents: [&dyn Fn(&mut Html); 8] = [
            &|html| picture(html, of),
            &|html| arguments.iter().for_each(|argument| pattern(html, argument)),
            &|html| html.element("div", &[("class", "grid-of-cards")], |html| tables(html, of)),
            &|html| growth(html, of),
            &|html| costs(html, of),
            &|html| open(html, of, &arguments),
            &|html| findings(html, of),
            &|html| html.element("pre", &[], |html| html.line("code", &[], of.layout)),
        ];
        for ((id, name), content) in SECTIONS.into_iter().zip(contents) {
            html.element("section", &[("id", id)], |html| {
                html.line("h2", &[], name);
                content(html);
            });
            html.end_line();
        }
    });
    html.line("footer", &[], &format!("Made by keyloom {}: keyloom design --report", crate::VERSION));
    html.made("\n</body>\n</html>\n");
    html.into_text()
}

/// What it is, and the figures that stand for the whole.
fn head(html: &mut Html, of: &Report<'_>, title: &str, arguments: &[Argument<'_>]) {
    let explained = &of.explained;
    let (found, sizes, tariff) = (explained.found, explained.sizes, explained.tariff);
    html.line("h1", &[], title);
    let day = sizes.as_of.map_or_else(String::new, |day| format!("Volumes as of {day}. "));
    let plain = match found.plain.weight == found.score.weight {
        true => "as a table for each list would cost".to_owned(),
        false => format!("a table for each list would cost {}", cost(found.plain.weight, tariff)),
    };
    html.line("p", &[("class", "lead")], &format!("{day}The {}: {plain}.", headline(found)));
    let refused = arguments.iter().filter(|argument| !argument.refused.is_empty()).count();
    let not_run = arguments.iter().filter(|argument| !argument.not_run.is_empty()).count();
    let count = |level: Level| of.findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings, notes) = (count(Level::Error), count(Level::Warning), count(Level::Note));
    let stored = table_lines(sizes).last().cloned().unwrap_or_default();
    let cell = |at: usize| stored.get(at).cloned().unwrap_or_default();
    let mut figures = vec![
        ("In all", cost(found.score.weight, tariff), "by mean rates".to_owned()),
        ("Patterns", arguments.len().to_string(), served(refused, not_run)),
        ("Tables", sizes.tables.len().to_string(), format!("{} were thought of for lists", found.shapes)),
        ("Stored", cell(4), format!("{} in 1 year, {} in 5", cell(5), cell(6))),
        ("Limits broken", sizes.breaks.len().to_string(), first_break(of)),
        ("Findings", of.findings.len().to_string(), format!("{errors} errors, {warnings} warnings, {notes} notes")),
    ];
    if !explained.queries.is_empty() {
        figures.push(("Questions", explained.queries.len().to_string(), "whose answers change tables".to_owned()));
    }
    html.element("dl", &[("class", "figures")], |html| {
        for (name, value, more) in &figures {
            html.element("div", &[], |html| {
                html.line("dt", &[], name);
                html.element("dd", &[], |html| {
                    html.text(value);
                    html.line("small", &[], more);
                });
            });
        }
    });
}

fn served(refused: usize, not_run: usize) -> String {
    match (refused, not_run) {
        (0, 0) => "all are held and run".to_owned(),
        (0, some) => format!("all are held, {some} not run yet"),
        (some, 0) => format!("{some} can't be held"),
        (refused, not_run) => format!("{refused} can't be held, {not_run} not run yet"),
    }
}

fn first_break(of: &Report<'_>) -> String {
    match of.explained.sizes.breaks.first() {
        Some(_) => "the first of them under Growth".to_owned(),
        None => "within 10 years, by what is stated".to_owned(),
    }
}

fn picture(html: &mut Html, of: &Report<'_>) {
    let holds: Vec<String> = of.explained.sizes.tables.iter().map(|table| table.holds.clone()).collect();
    html.line(
        "p",
        &[("class", "soft")],
        "Point at a pattern or a table to see its lines alone; each leads to its paragraph.",
    );
    html.element("figure", &[], |html| {
        html.element("div", &[("class", "picture")], |html| html.made(&diagram(of.explained.program, &holds)));
        html.element("figcaption", &[("class", "key")], |html| {
            for (colour, words) in [("--read", "reads"), ("--write", "writes; strong where a row is decided")] {
                html.element("span", &[], |html| {
                    html.line("i", &[("style", &format!("color:var({colour})"))], "");
                    html.text(words);
                });
            }
            html.line("span", &[], "\u{25c6} partition \u{a0} \u{21c5} sort key");
        });
    });
}

/// A pattern: how it is answered, and why so.
fn pattern(html: &mut Html, argument: &Argument<'_>) {
    let pattern = argument.pattern;
    html.element("article", &[("class", "card"), ("id", &format!("pattern-{}", pattern.name))], |html| {
        html.element("div", &[("class", "top")], |html| {
            html.line("h3", &[], &pattern.name);
            let kind = if argument.writes { "write" } else { "read" };
            html.line("span", &[("class", &format!("chip {kind}"))], kind);
            argument.terms.iter().for_each(|term| html.line("span", &[("class", "chip")], term));
            pattern.owner.iter().for_each(|owner| html.line("span", &[("class", "chip")], owner));
        });
        pattern.doc.iter().for_each(|doc| html.line("p", &[("class", "soft")], doc));
        argument.arithmetic.iter().for_each(|sum| html.line("p", &[("class", "sum")], sum));
        argument.refused.iter().for_each(|refused| paragraph(html, "p", "said bad", refused));
        if !argument.not_run.is_empty() {
            let lacks = format!("not run yet: {}", argument.not_run.join(", "));
            paragraph(html, "p", "said need", &lacks);
        }
        argument.parts.iter().for_each(|of| part(html, of));
    });
    html.end_line();
}

fn part(html: &mut Html, part: &Part) {
    html.element("div", &[("class", "part")], |html| {
        if !part.name.is_empty() {
            html.line("h4", &[], &part.name);
        }
        html.element("p", &[], |html| words(html, &part.does));
        html.element("dl", &[("class", "why")], |html| {
            let mut row = |name: &str, said: &Words| {
                html.line("dt", &[], name);
                html.element("dd", &[], |html| words(html, said));
            };
            part.holds.iter().for_each(|said| row("a partition", &Words::from(said.as_str())));
            part.busiest.iter().for_each(|said| row("at peak", &Words::from(said.as_str())));
            match part.others.as_deref() {
                None => {}
                Some([]) => row("runner-up", &Words::from("none was thought of")),
                Some(others) => others.iter().for_each(|other| row("runner-up", other)),
            }
            part.left_out.iter().for_each(|said| row("left out", &Words::from(*said)));
        });
        said(html, &part.limits);
    });
}

/// Limits that are broken, and what they would need.
fn said(html: &mut Html, limits: &[String]) {
    for limit in limits {
        let class = if limit.starts_with("breaks") { "said warn" } else { "said need" };
        paragraph(html, "p", class, limit);
    }
}

/// A sentence with links to the tables and patterns that it names.
fn words(html: &mut Html, words: &Words) {
    for piece in &words.0 {
        match piece {
            Piece::Text(text) => prose(html, text),
            Piece::Table(name) => link(html, "table", name),
            Piece::Pattern(name) => link(html, "pattern", name),
        }
    }
}

/// A text in which what stands between backticks is code.
fn prose(html: &mut Html, text: &str) {
    let parts: Vec<&str> = text.split('`').collect();
    // A tick without its fellow is one.
    if parts.len().is_multiple_of(2) {
        return html.text(text);
    }
    for (at, part) in parts.into_iter().enumerate() {
        match at % 2 {
            0 => html.text(part),
            _ => html.line("code", &[], part),
        }
    }
}

/// A paragraph, or another element, of prose.
fn paragraph(html: &mut Html, tag: &str, class: &str, text: &str) {
    html.element(tag, &[("class", class)], |html| prose(html, text));
}

fn link(html: &mut Html, kind: &str, name: &str) {
    html.element("a", &[("href", &format!("#{kind}-{name}"))], |html| html.line("code", &[], name));
}

fn tables(html: &mut Html, of: &Report<'_>) {
    let explained = &of.explained;
    let sized = table_lines(explained.sizes);
    for (at, table) in explained.program.layout.tables.iter().enumerate() {
        html.element("article", &[("class", "card"), ("id", &format!("table-{}", table.name))], |html| {
            let cell = |column: usize| sized.get(at + 1).and_then(|line| line.get(column)).cloned().unwrap_or_default();
            html.element("div", &[("class", "top")], |html| {
                html.line("h3", &[], &table.name);
                html.line("span", &[("class", "chip")], &cell(7));
            });
            let stored = [(4, "now"), (5, "in 1 year"), (6, "in 5 years")].map(|(at, when)| (cell(at), when));
            let known = stored.iter().filter(|(bytes, _)| bytes != "?");
            let known: Vec<String> = known.map(|(bytes, when)| format!("{bytes} {when}")).collect();
            let rows = [(1, " rows"), (2, " a month")].map(|(at, what)| (cell(at), what));
            let rows = rows.iter().filter(|(count, _)| count != "?").map(|(count, what)| format!("{count}{what}"));
            let mut sum = rows.chain([format!("{} each", cell(3))]).collect::<Vec<_>>().join(", ");
            sum.push_str(&if known.is_empty() {
                "; how many, nobody says".to_owned()
            } else {
                format!(": {}", known.join(", "))
            });
            html.line("p", &[("class", "sum")], &sum);
            html.element("dl", &[("class", "why")], |html| key(html, explained.program, table));
            said(html, &limits(explained, &table.name));
        });
        html.end_line();
    }
}

/// The key of a table, what it holds, and who uses it.
fn key(html: &mut Html, program: &Program, table: &Table) {
    let mut row = |name: &str, said: &Words| {
        if !said.0.is_empty() {
            html.line("dt", &[], name);
            html.element("dd", &[], |html| words(html, said));
        }
    };
    let text = |text: String| if text.is_empty() { Words::default() } else { Words::from(text) };
    let parts: Vec<String> = table.partition.parts().iter().map(part_text).collect();
    row("partition", &text(if parts.is_empty() { "all rows together".to_owned() } else { parts.join(", ") }));
    row("sorted by", &text(table.sort.iter().map(sort_text).collect::<Vec<_>>().join(", ")));
    row("only", &text(table.filter.as_ref().map_or_else(String::new, ToString::to_string)));
    row("columns", &text(table.columns.as_deref().unwrap_or_default().join(", ")));
    let copies: Vec<String> = table.copies.iter().map(|copied| copied.path.to_string()).collect();
    row("copies", &text(copies.join(", ")));
    let names = |of: &dyn Fn(&str) -> bool| {
        let own = program.catalog.patterns.iter().filter(|pattern| of(&pattern.name));
        Words::joined(own.map(|pattern| Words::default().pattern(&pattern.name)), ", ")
    };
    let is_write = |pattern: &str| program.writes_of(pattern).next().is_some();
    let via = |plan: &ReadPlan| match &plan.access.reach {
        Reach::Via { reservations, .. } => *reservations == table.name,
        Reach::Get { .. } | Reach::Slice(_) => false,
    };
    let reads = |pattern: &str| {
        !is_write(pattern) && program.reads_of(pattern).any(|plan| plan.access.table == table.name || via(plan))
    };
    let writes = |pattern: &str| {
        let mut effects = program.writes_of(pattern).flat_map(|write| &write.effects);
        effects.any(|effect| {
            effect.table == table.name && !matches!(effect.does, Does::Checks { .. } | Does::Copies { .. })
        })
    };
    row("read by", &names(&reads));
    row("written by", &names(&writes));
}

fn growth(html: &mut Html, of: &Report<'_>) {
    let sizes = of.explained.sizes;
    html.element("figure", &[("class", "picture plot")], |html| html.made(&growth_plot(sizes)));
    let lines = partition_lines(sizes);
    if lines.len() > 1 {
        rows(html, &lines, "table", &[]);
    }
    let breaks = break_lines(sizes);
    if !breaks.is_empty() {
        html.line("p", &[], "What breaks first, by the numbers that are stated:");
        let named: Vec<Vec<String>> =
            breaks.iter().map(|line| [&line[1], &line[0], &line[2], &line[3]].map(String::clone).to_vec()).collect();
        let head = ["TABLE", "WHEN", "WHAT", "KIND"].map(str::to_owned).to_vec();
        rows(html, &std::iter::once(head).chain(named).collect::<Vec<_>>(), "table", &[]);
    }
}

fn costs(html: &mut Html, of: &Report<'_>) {
    let sizes = of.explained.sizes;
    html.element("figure", &[("class", "picture plot")], |html| html.made(&cost_plot(sizes)));
    rows(html, &pattern_lines(sizes), "pattern", &[1, 2, 3, 4, 5, 6]);
    let figures: Vec<Vec<String>> = summary(sizes).into_iter().map(|line| line.to_vec()).collect();
    let head = ["IN ALL", "", ""].map(str::to_owned).to_vec();
    if !figures.is_empty() {
        html.line("p", &[], "");
        rows(html, &std::iter::once(head).chain(figures).collect::<Vec<_>>(), "", &[]);
    }
    html.line("h3", &[], "Assumed");
    let mut assumed = sizes.assumed.clone();
    assumed.push(
        "for choosing, a rate that is not stated counts as 1/s, a range by its middle, and designs within 1 % as equal: the one with \
         the fewest tables is taken"
            .to_owned(),
    );
    list(html, assumed.iter().map(|line| Words::from(line.as_str())));
}

/// A table of HTML: the first line is its heading, the first column links to what it names.
fn rows(html: &mut Html, lines: &[Vec<String>], kind: &str, numbers: &[usize]) {
    let class = |column: usize| if numbers.contains(&column) { "number" } else { "" };
    html.element("div", &[("class", "wide")], |html| {
        html.element("table", &[], |html| {
            let mut lines = lines.iter();
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    for (column, cell) in lines.next().into_iter().flatten().enumerate() {
                        html.line("th", &[("class", class(column))], cell);
                    }
                });
            });
            html.element("tbody", &[], |html| {
                for line in lines {
                    html.element("tr", &[], |html| {
                        for (column, cell) in line.iter().enumerate() {
                            html.element("td", &[("class", class(column))], |html| match column {
                                0 if !kind.is_empty() => link(html, kind, cell),
                                _ => html.text(cell),
                            });
                        }
                    });
                }
            });
        });
    });
    html.end_line();
}

fn list(html: &mut Html, lines: impl Iterator<Item = Words>) {
    html.element("ul", &[("class", "plain")], |html| {
        lines.for_each(|line| html.element("li", &[], |html| words(html, &line)));
    });
}

/// What nobody stated, what is not run, what was weighed beside tables.
fn open(html: &mut Html, of: &Report<'_>, arguments: &[Argument<'_>]) {
    let explained = &of.explained;
    if explained.queries.is_empty() {
        html.line("p", &[], "No number that is not stated would change the tables.");
    } else {
        html.line("p", &[], "Not stated, and it would change the tables; what matters most comes first:");
        html.element("ol", &[("class", "asked")], |html| {
            for query in explained.queries {
                html.element("li", &[], |html| {
                    html.line("strong", &[], &asked(&query.number));
                    list(html, answers(explained, query).into_iter().map(Words::from));
                });
            }
        });
    }
    let mut names: Vec<&String> = explained.sizes.unknown.iter().flat_map(|unknown| &unknown.without).collect();
    names.sort();
    names.dedup();
    if !names.is_empty() {
        html.line("p", &[], "Not stated, and without it nobody can tell whether a limit is kept:");
        list(html, names.into_iter().map(|name| Words::default().text(name.as_str())));
    }
    let beside: Vec<Words> = copied(explained).into_iter().chain(elsewhere(explained, arguments)).collect();
    if !beside.is_empty() {
        html.line("p", &[], "Beside the lists:");
        list(html, beside.into_iter());
    }
}

fn findings(html: &mut Html, of: &Report<'_>) {
    if of.findings.is_empty() {
        html.line("p", &[], "The review has nothing against this catalog and its layout.");
    }
    for finding in of.findings {
        html.element("article", &[("class", "card")], |html| self::finding(html, of, finding));
        html.end_line();
    }
}

fn finding(html: &mut Html, of: &Report<'_>, finding: &Finding) {
    let class = match finding.level {
        Level::Error => "bad",
        Level::Warning => "warn",
        Level::Note => "note",
    };
    html.element("div", &[("class", "top")], |html| {
        html.line("span", &[("class", &format!("chip {class}"))], finding.level.name());
        html.line("h3", &[], finding.rule.name);
        if let Some(place) = finding.place {
            let file = of.sources.file(place.file);
            let line = file.line_column(place.start).line;
            html.line("span", &[("class", "soft")], &format!("{}:{line}", file.name()));
        }
    });
    paragraph(html, "p", "", &finding.message);
    html.element("dl", &[("class", "why")], |html| {
        let limit = finding.limit.as_ref().map(|limit| format!("{} ({}, {})", limit.value, limit.source, limit.date));
        let rows = [("because", &finding.derivation), ("limit", &limit), ("way out", &finding.help)];
        for (name, said) in rows.into_iter().filter_map(|(name, said)| Some((name, said.as_ref()?))) {
            html.line("dt", &[], name);
            paragraph(html, "dd", "", said);
        }
    });
}

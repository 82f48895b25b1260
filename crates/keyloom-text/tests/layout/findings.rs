//! What is said about layouts that are wrong: each fault once, and nothing that follows from it.

use super::{CATALOG, LAYOUT, read_both};

/// The findings about a layout: rule, message, help.
fn findings(catalog: &str, layout: &str) -> Vec<(&'static str, String, String)> {
    let (sources, _, reading) = read_both(catalog, layout);
    for finding in &reading.findings {
        for place in finding.place.into_iter().chain(finding.related.iter().map(|(place, _)| *place)) {
            let text = sources.file(place.file).text();
            assert!(text.get(place.start as usize..place.end as usize).is_some(), "a place outside: {finding:?}");
        }
    }
    let say = |finding: keyloom_finding::Finding| {
        (finding.rule.name, finding.message, format!("{} {}", finding.label, finding.help.unwrap_or_default()))
    };
    reading.findings.into_iter().map(say).collect()
}

/// One change of the layout that has every word, and the one finding it causes: rule, a part of the message, a part of
/// the help.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("layout: 1", "layout: 2", "language-version", "in layout 2; this Keyloom reads layout 1", "write `layout: 1`"),
    ("catalog: desk", "catalog: shop", "bad-value", "a layout of `shop`, and the catalog is `desk`", "`catalog: desk`"),
    ("engine: cassandra", "engine: casandra", "bad-value", "there is no engine `casandra`", "write `cassandra`"),
    ("engine: cassandra", "engine: postgres", "bad-value", "there is no engine `postgres`", "there is: `embedded`"),
    ("engine: cassandra\n", "", "missing-key", "does not state `engine`", "add `engine: embedded`"),
    ("epoch: 3", "epoch: 0", "bad-value", "`0` is no epoch", "counted from 1"),
    ("epoch: 3\n", "", "missing-key", "does not state `epoch`", "add `epoch: 1`"),
    ("horizons: {", "horizon: {", "unknown-key", "a layout has no key `horizon`", "did you mean `horizons`?"),
    ("settle: 10s", "settel: 10s", "unknown-key", "`horizons` has no key `settel`", "did you mean `settle`?"),
    ("settle: 10s", "settle: 10 apples", "bad-value", "apples", ""),
    ("doubt: 60s", "doubt: 24h", "bad-value", "may stay unknown for 24h, and a request can be repeated for 24h only", "below the catalog's `retries`, 24h"),
    ("grace: 10 days", "grace: 1 day", "bad-value", "forgotten after 1 day, and a request can be repeated for 24h", "`grace` above the catalog's `retries`"),
    ("settle: 10s", "settle: 2 weeks", "bad-value", "may lag for 2 weeks, and what was removed is forgotten after 10 days", "`settle` below `grace`, 10 days"),
    ("late: 5s", "late: 5 days", "bad-value", "may come 5 days late and then once more", "twice `late` below `grace`, 10 days"),
    ("ranks: {", "enums: {", "unknown-key", "a layout has no key `enums`", "did you mean `ranks`?"),
    // A table and its kind.
    ("ticket: { source: Ticket, class: decided, partition: [tenant_id, ticket_id] }", "ticket: Ticket", "wrong-shape", "a table takes a mapping", ""),
    ("columns: [name, lead]", "colums: [name, lead]", "unknown-key", "a table has no key `colums`", "did you mean `columns`?"),
    ("    sort: [opened_at desc, ticket_id desc]", "    clustering: [opened_at]", "unknown-key", "a table has no key `clustering`", "`sort`"),
    ("partition: [tenant_id, queue_id], columns: [name, lead]", "columns: [name, lead]", "missing-key", "table `queue` does not state `partition`", "partition: ["),
    ("source: Queue, class: decided, ", "", "missing-key", "table `queue` does not say what it holds", "source, of, reserves"),
    ("source: Queue, ", "source: Queue, of: Ticket, ", "unknown-key", "`of` does not go with `source`", "remove one"),
    ("reserves: Queue.name_taken, ", "reserves: Queue.name_taken, keeper: placed, ", "unknown-key", "`keeper` does not go with `reserves`", "it goes with `of`"),
    ("    keeper: placed\n", "", "missing-key", "table `open_tickets` does not state `keeper`", "add `keeper: placed`"),
    ("keeper: index", "keeper: gsi", "bad-value", "`keeper` is `carried` or `placed` or `index`, not `gsi`", ""),
    ("class: append", "class: appended", "bad-value", "`class` is `append` or `fed` or `blind` or `decided`", ""),
    ("ticket_no: {", "ticketNo: {", "bad-name", "a table is named in lower snake case", "write `ticket_no`"),
    ("ticket_no: {", "kl_ticket: {", "bad-name", "`kl_ticket`: names that begin with `kl_`", "another name"),
    ("ticket_no: {", "the_numbers_of_tickets_that_were_opened_anywhere: {", "bad-name", "at most 44 letters", "shorter"),
    ("ticket_no: {", "ticket: {", "duplicate-name", "key `ticket` is defined twice", ""),
    // What it holds.
    ("source: Queue,", "source: Qeue,", "unknown-name", "there is no entity `Qeue`", "did you mean `Queue`?"),
    ("source: TicketOpened,", "source: Ticket,", "duplicate-name", "the source of `Ticket` is defined twice", ""),
    ("reserves: Queue.name_taken", "reserves: Queue", "bad-value", "`reserves` takes an entity and a name of it", "User.email_taken"),
    ("reserves: Queue.name_taken", "reserves: Queue.name_token", "unknown-name", "no unique `name_token` in Queue", "`name_taken`?"),
    ("keeps: Queue.waiting", "keeps: Queue.wating", "unknown-name", "no field `wating` in Queue", "did you mean `waiting`?"),
    ("keeps: Queue.waiting", "keeps: Queue.name", "bad-value", "Queue.name is not kept from other rows", "`waiting`"),
    ("numbers: Ticket.no", "numbers: Ticket.title", "bad-value", "Ticket.title is not a number of a sequence", "`no`"),
    ("counts: TicketDay", "counts: Ticket", "bad-value", "Ticket is no rollup", "counts: Ticket.field"),
    ("source: Ping, ", "source: Ping, way: newest, ", "bad-value", "Ping is no rollup", "`keeps`"),
    ("way: recount", "way: counted", "bad-value", "`way` is `rider` or `newest` or `recount`, not `counted`", ""),
    ("from: open_tickets", "from: open_ticket", "unknown-name", "there is no table `open_ticket`", "`open_tickets`?"),
    ("every: 1min", "every: 1m", "bad-value", "", ""),
    // Which rows.
    ("tenants: all", "tenants: none", "bad-value", "`tenants` is `all`, not `none`", ""),
    ("where: status = OPEN\n", "where: status = $status\n", "bad-expression", "", ""),
    ("where: status = OPEN\n", "where: opened_at < now\n", "bad-expression", "`where` of a table takes constants only", "at every moment"),
    ("where: status = OPEN\n", "where: state = OPEN\n", "unknown-name", "no field `state` in Ticket", "`status`?"),
    ("where: status = OPEN\n", "where: status = OPNE\n", "unknown-name", "there is no value `OPNE` in this enum", "did you mean `OPEN`?"),
    ("where: status = OPEN\n", "where:\n", "missing-key", "`where` has nothing behind it", ""),
    // Where they stand.
    ("partition: [tenant_id, name]", "partition: [tenant_id, nam]", "unknown-name", "no field `nam` in Queue", "`name`?"),
    ("partition: [all]", "partition: [all, event_id]", "bad-value", "`all` is one partition for all rows", "[all]"),
    ("partition: [all]", "partition: []", "bad-value", "a partition without components", "[all]"),
    ("month(opened_at)", "month(title)", "type-mismatch", "`title` is text, which has no month", "a timestamp"),
    ("day(opened_at)]\n", "hour(due_on)]\n", "type-mismatch", "`due_on` is date, which has no hour", ""),
    ("month(opened_at)", "lower(title)", "bad-value", "`lower(title)` is no component of a partition", "month(at)"),
    ("[tenant_id, ticket_id] }", "[tenant_id, labels] }", "unfit-key", "`labels` can't be part of a key", ""),
    ("[tenant_id, ticket_id] }", "[queue.name] }", "bad-value", "`queue.name` is no field of Ticket itself", "own fields"),
    ("[tenant_id, ticket_id] }", "[ticket_id, ticket_id] }", "duplicate-name", "`ticket_id` stands in the key twice", ""),
    ("sort: [opened_at desc, ticket_id desc]", "sort: [ticket_id desc, ticket_id asc]", "duplicate-name", "`ticket_id` stands in the key twice", ""),
    ("sort: [metric asc]", "sort: [metric asc, device_id asc]", "duplicate-name", "`device_id` stands in the key twice", ""),
    ("sort: [metric asc]", "sort: [metric up]", "bad-expression", "`up` is not a direction", "write `asc`"),
    ("    sort: [opened_at desc, ticket_id desc]", "    sort: opened_at desc, ticket_id desc", "wrong-shape", "without brackets", "`sort: [opened_at desc, ticket_id desc]`"),
    // What they hold.
    ("columns: [title, lease]", "columns: [titel, lease]", "unknown-name", "no field `titel` in Ticket", "`title`?"),
    ("columns: [title, lease]", "columns: [title, title]", "duplicate-name", "column `title` is defined twice", ""),
    ("columns: [title, lease]", "columns: [queue.name]", "bad-value", "`queue.name` is no field of Ticket itself", "copies: { queue.name: copy }"),
    ("queue.name: copy", "title: copy", "bad-reference", "`title` stands in Ticket itself", "columns"),
    ("queue.name: copy", "queue.name: lookup", "bad-value", "a copy is `copy` or `touch`, not `lookup`", ""),
    (", at_most: 64", "", "missing-key", "`spread` does not state `at_most`", "add `at_most: 64`"),
    ("rows: 50k", "rows: many", "bad-value", "many", ""),
    ("expires: whole buckets", "expires: buckets", "bad-value", "is `row` or `whole buckets`, not `buckets`", ""),
    // Ranks.
    ("ON_HOLD: 15", "ON_HOLT: 15", "unknown-name", "no value `ON_HOLT` in Ticket.status", "`ON_HOLD`?"),
    ("ON_HOLD: 15, ", "", "missing-key", "`ranks` of Ticket.status does not state `ON_HOLD`", "ON_HOLD: 10"),
    ("ON_HOLD: 15", "ON_HOLD: 5", "bad-value", "its rank 5 is not above 10", "ranks rise"),
    ("ON_HOLD: 15", "ON_HOLD: high", "bad-value", "`high` is no rank", "65535"),
    ("Ticket.status: {", "Ticket.title: {", "bad-value", "only values of an enum have ranks", ""),
    ("Ticket.status: {", "status: {", "bad-value", "`status` is no field of an entity", "Task.priority"),
    // Paths.
    ("get_ticket: {", "get_tickets: {", "unknown-name", "there is no pattern `get_tickets`", "`get_ticket`?"),
    ("open_queue/latest", "open_queue/lates", "unknown-name", "no list `lates` in the `with` of `open_queue`", "`latest`?"),
    ("list_tickets:newest", "list_tickets:newst", "unknown-name", "no named order `newst` in `list_tickets`", "`newest`?"),
    ("?urgent&agent", "?urgnt&agent", "unknown-name", "no optional input `urgnt` in `list_tickets`", "`urgent`?"),
    ("?urgent&agent", "?from&agent", "bad-value", "`from` is sent with every call of `list_tickets`", "optional"),
    ("?urgent&agent", "?agent&agent", "duplicate-name", "input `agent` is defined twice", ""),
    ("open_queue/latest", "open_queue//latest", "bad-value", "`/` can't stand here", "pattern/list:order?input"),
    ("open_queue/latest", "open_queue/", "bad-value", "a name is missing here", ""),
    ("take_next: {", "open_ticket: {", "bad-value", "`open_ticket` asks for no rows", "a read, a claim"),
    ("close_ticket: { get: ticket }", "list_tickets:oldest?agent&urgent: { slice: open_tickets }", "duplicate-name", "is defined twice", ""),
    ("get_ticket: { get: ticket }", "get_ticket: { remains: [title] }", "missing-key", "the path of `get_ticket` does not say which table it reads", "get, slice"),
    ("get_ticket: { get: ticket }", "get_ticket: { get: tiket }", "unknown-name", "there is no table `tiket`", "`ticket`?"),
    ("{ slice: next_tickets }", "{ slice: next_tickets, via: queue_by_name }", "unknown-key", "`via` does not go with `slice`", "it goes with `get`"),
    ("via: queue_by_name", "vai: queue_by_name", "unknown-key", "a path has no key `vai`", "did you mean `via`?"),
    ("via: queue_by_name", "via: ticket", "bad-value", "`ticket` holds no reservations", "reserves"),
    ("looks_up: [waiting]", "looks_up: [name]", "bad-value", "`name` stands in Queue itself", "kept values"),
    ("looks_up: [queue.name]", "looks_up: [queue.nam]", "unknown-name", "no field `nam` in Queue", "`name`?"),
    ("remains: [urgent, agent_id]", "remains: [urgent, agents_id]", "unknown-name", "no field `agents_id` in Ticket", "`agent_id`?"),
    ("remains: [urgent, agent_id]", "remains: [urgent, urgent]", "duplicate-name", "field `urgent` is defined twice", ""),
    ("partitions: 3, rows: 51", "partitions: 3", "missing-key", "`reads_at_most` does not state `rows`", "add `rows: 51`"),
];

#[test]
fn each_fault_is_said_once() {
    let mut faults = Vec::new();
    for (from, to, rule, message, help) in CASES {
        assert!(LAYOUT.contains(from), "`{from}` is not in the layout");
        let found = findings(CATALOG, &LAYOUT.replacen(from, to, 1));
        let fits =
            matches!(found.as_slice(), [one] if one.0 == *rule && one.1.contains(message) && one.2.contains(help));
        if !fits {
            faults.push(format!("`{from}` -> `{to}`\n  wanted {rule}: {message} ({help})\n  found {found:#?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_was_misread_in_the_catalog_is_not_said_again() {
    let faults = [
        ("title: text(80..400)", "title: txt(80..400)"),
        ("unique: { name_taken: name,", "unique: { name_taken: nam,"),
        ("status: enum(OPEN | ON_HOLD | CLOSED) = OPEN", "status: enum(OPEN"),
        ("  Ping:\n", "  Ping: 5\n  Pong:\n"),
        ("    of: Ticket\n", "    of: Tickt\n"),
        ("order: { newest: opened_at desc, oldest: opened_at asc }", "order: { newest: opened desc }"),
        ("    claim: Ticket\n", "    clam: Ticket\n"),
        ("tenant: tenant_id\n", "tenant: { feild: tenant_id }\n"),
        ("tenant: tenant_id\n", "tenat: tenant_id\n"),
        ("tenant: tenant_id\n", "tenant: TenantId\n"),
        ("catalog: desk\n", ""),
    ];
    for (from, to) in faults {
        assert!(CATALOG.contains(from), "`{from}` is not in the catalog");
        let catalog = CATALOG.replacen(from, to, 1);
        let (_, reading, _) = read_both(&catalog, LAYOUT);
        assert!(!reading.findings.is_empty(), "`{to}` is no fault");
        assert_eq!(findings(&catalog, LAYOUT), [], "after `{to}`");
    }
}

#[test]
fn a_catalog_that_is_not_whole_leaves_its_names_open() {
    let catalog = CATALOG.replacen("catalog: desk\n", "catalog: desk\ninclude: [catalog.yaml]\n", 1);
    let (_, reading, _) = read_both(&catalog, LAYOUT);
    assert!(reading.unreadable);
    assert_eq!(findings(&catalog, &LAYOUT.replacen("source: Queue,", "source: Elsewhere,", 1)), []);
}

#[test]
fn a_table_that_was_not_understood_is_left_out_and_missed_by_nobody() {
    let text = LAYOUT.replacen("    keeper: placed\n", "    keeper: nobody\n", 1);
    let (_, _, reading) = read_both(CATALOG, &text);
    assert!(reading.misread.contains("tables.open_tickets") && reading.misread.contains("paths.list_tickets:newest"));
    assert!(reading.layout.table("open_tickets").is_none());
    assert_eq!(reading.findings.len(), 1);
}

#[test]
fn all_faults_of_a_table_are_said_at_once() {
    let text =
        LAYOUT.replacen("keeper: index", "keeper: gsi", 1).replacen("columns: [title, lease]", "columns: [x]", 1);
    let rules: Vec<_> = findings(CATALOG, &text).into_iter().map(|(rule, ..)| rule).collect();
    assert_eq!(rules, ["bad-value", "unknown-name"]);
}

#[test]
fn files_that_are_no_layout() {
    let says = |layout: &str| {
        let (_, _, reading) = read_both(CATALOG, layout);
        assert!(reading.unreadable && reading.layout.tables.is_empty());
        let [one] = reading.findings.as_slice() else { panic!("{:?}", reading.findings) };
        assert_eq!(one.rule.name, if one.message.contains("YAML") { "not-yaml" } else { "unreadable-file" });
        one.message.clone()
    };
    assert!(says("").contains("the file is empty"));
    assert!(says("# nothing\n").contains("nothing but blanks and comments"));
    assert!(says(CATALOG).contains("this looks like a catalog, not like a layout"));
    assert!(says("services: { web: { image: nginx } }\n").contains("this is not a layout"));
    assert!(says("SELECT * FROM t;\n").contains("CQL or SQL"));
    // And the other way round.
    let (_, catalog, _) = read_both(LAYOUT, LAYOUT);
    assert!(catalog.findings[0].message.contains("this looks like a layout, not like a catalog"));
}

#[test]
fn shapes_of_the_file() {
    for (text, rule) in [("layout: 1\ntables: [a, b]\n", "wrong-shape"), ("[layout, 1]\n", "unreadable-file")] {
        let found = findings(CATALOG, text);
        assert!(found.iter().any(|(found, ..)| *found == rule), "{text}: {found:?}");
    }
}

#[test]
fn horizons_that_go_together_are_not_spoken_of() {
    let stated = "horizons: { settle: 10s, doubt: 60s, late: 5s, page: 2s, grace: 10 days }";
    assert!(LAYOUT.contains(stated));
    for other in ["{ doubt: 23h }", "{ grace: 25h }", "{ settle: 47h, late: 23h }", "{ late: 12h, grace: 25h }"] {
        assert_eq!(findings(CATALOG, &LAYOUT.replace(stated, &format!("horizons: {other}"))), [], "{other}");
    }
    // The catalog says how long a request may be repeated.
    let catalog = CATALOG.replacen("catalog: desk", "catalog: desk\nretries: 20 days", 1);
    let said = findings(&catalog, LAYOUT);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].1.contains("can be repeated for 20 days"), "{said:?}");
    let unread = findings(CATALOG, &LAYOUT.replace("grace: 10 days", "grace: 1 dya"));
    assert_eq!(unread.len(), 1, "nothing follows from a horizon that was not understood: {unread:?}");
}

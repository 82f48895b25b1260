//! `--as`: a folder with the limits of another engine, under load and opened again.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::process::{Up, ended, keyloom};

/// Boards whose drawings are large: one of them takes half of all changes, and each costs about a tenth of what a partition of
/// DynamoDB gives in a second.
const BOARDS: &str = "language: 1
catalog: boards
as_of: 2026-11-01
entities:
  Board:
    key: [board_id]
    fields: { board_id: uuid = new, title: text(8..30), drawing: text(90KB..100KB) }
    volume: { rows: 20, growth: 1/day }
    expires: forever
patterns:
  open_board: { create: Board, takes: [title, drawing], skew: { busiest: 5% }, rate: rare }
  draw: { update: Board, by: [board_id], set: { drawing: $drawing }, skew: { busiest: 50% }, rate: 40/s }
";

/// Photos of albums, with the list of an album laid into one partition that all albums share.
const ALBUMS: &str = "language: 1
catalog: albums
as_of: 2026-11-01
entities:
  Photo:
    key: [photo_id]
    fields: { photo_id: uuid = new, album_id: uuid, added_at: timestamp = now, picture: text(20KB..24KB) }
    volume: { rows: 100k, growth: 100k/day }
    groups: { album_id: 2 / 10 / 40 }
    expires: added_at + 30 days
patterns:
  add_photo: { create: Photo, takes: [album_id, picture], skew: { busiest: 5% }, rate: 10/s }
  get_photo: { get: Photo, by: [photo_id], skew: { busiest: 1% }, rate: 2/s }
  list_photos:
    list: Photo
    by: [album_id]
    returns: [photo_id, added_at, picture]
    order: added_at desc
    page: 2
    freshness: read_your_writes
    skew: { busiest: 5% }
    rate: 2/s
";

fn catalog(folder: &Path) -> PathBuf {
    let path = folder.join("catalog.yaml");
    std::fs::write(&path, BOARDS).unwrap();
    path
}

fn load(folder: &Path, more: &[&str]) -> Json {
    let arguments = [&["load", "--format", "json", "--rows", "20"], more].concat();
    let output = keyloom(&arguments, folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{more:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn writes(report: &Json) -> &Json {
    report["units"].as_array().unwrap().iter().find(|of| of["kind"] == "write").unwrap_or_else(|| panic!("{report:#}"))
}

/// The promise: what `size` predicts and what a partition lets through are within a tenth of each other.
#[test]
fn a_hot_partition_gives_what_was_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let boards = catalog(folder.path());
    let up = Up::start(&boards, folder.path(), &["--as", "dynamodb"]);
    assert!(up.said.contains("as DynamoDB: 3,000 read units per second and partition"), "{}", up.said);
    assert!(up.said.contains("\nnot simulated: "), "{}", up.said);
    let target = format!("http://{}", up.address);
    let report = load(folder.path(), &["--target", &target, "--as", "dynamodb", "--for", "20s"]);
    let hot = writes(&report);
    assert!(hot["predicted"].as_f64() > hot["limit"].as_f64(), "{hot:#}");
    assert_eq!(hot["expected"], hot["limit"]);
    let (expected, measured) = (hot["expected"].as_f64().unwrap(), hot["measured"].as_f64().unwrap());
    let ratio = measured / expected;
    assert!((0.9..=1.1).contains(&ratio), "{measured} units a second, where {expected} were predicted: {report:#}");
    let draw = report["patterns"].as_array().unwrap().iter().find(|of| of["pattern"] == "draw").unwrap();
    // Each is told to its caller, with the partition that holds it up.
    let held_up = draw["held_up"].as_object().unwrap();
    assert_eq!(held_up.values().filter_map(Json::as_u64).sum::<u64>(), draw["outcomes"]["busy"].as_u64().unwrap());
    let (why, _) = held_up.iter().max_by_key(|(_, calls)| calls.as_u64()).unwrap();
    assert!(why.starts_with("DynamoDB throttles the partition board_id="), "{why}");
    assert!(why.contains("of `board`, which gives 1000 write units a second"), "{why}");
    assert_eq!(up.stop("-TERM"), Some(0));
}

/// From a prediction to its cure: `size` names the partition and what it will be asked for, `load` meets the limit, the least
/// change of the layout takes it away.
#[test]
fn a_hot_partition_is_predicted_met_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |arguments: &[&str]| {
        let (code, said) = ended(arguments, folder.path());
        assert_eq!(code, 0, "{arguments:?}: {said}");
        said
    };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("catalog.yaml", ALBUMS);
    ran(&["design", "--engine", "dynamodb", "-o", "layout.yaml"]);
    let layout = std::fs::read_to_string(folder.path().join("layout.yaml")).unwrap();
    let layout = layout.replace("partition: [album_id]", "partition: all");
    write("hot.yaml", &layout.replace("sort: [added_at desc", "sort: [album_id, added_at desc"));

    let size = ["size", "--layout", "hot.yaml", "--what-if", "add_photo.rate x4", "--format", "json"];
    let sizes: Json = serde_json::from_str(&ran(&size)).unwrap();
    assert_eq!(sizes["before"]["breaks"], Json::Array(Vec::new()));
    let [broken] = &sizes["breaks"].as_array().unwrap()[..] else { panic!("{:#}", sizes["breaks"]) };
    assert_eq!(broken["table"], "photo_by_album");
    assert_eq!(broken["fact"], "partition_write_units");

    write("catalog.yaml", &ALBUMS.replace("rate: 10/s", "rate: 40/s"));
    let drive = |layout: &str| load(folder.path(), &["--as", "dynamodb", "--layout", layout, "--for", "20s"]);
    let report = drive("hot.yaml");
    let hot = writes(&report);
    assert_eq!(hot["table"], broken["table"], "{report:#}");
    let (predicted, measured) = (hot["predicted"].as_f64().unwrap(), hot["measured"].as_f64().unwrap());
    assert!(
        (predicted / broken["value"].as_f64().unwrap() - 1.0).abs() < 0.01,
        "load and size predict the same: {hot:#}"
    );
    let limit = broken["limit"].as_f64().unwrap();
    assert!(
        (0.9..=1.1).contains(&(measured / limit)),
        "{measured} units a second, where {limit} were predicted: {report:#}"
    );
    assert!(hot["throttled"].as_u64() > Some(0), "{report:#}");

    ran(&["design", "--from", "hot.yaml", "--fix-only", "-o", "mended.yaml"]);
    let report = drive("mended.yaml");
    assert!(report["units"].as_array().unwrap().iter().all(|of| of["throttled"] == 0), "{report:#}");
}

/// The same catalog at a twentieth of its rate is held up by nothing.
#[test]
fn a_partition_below_its_limit_is_not_held_up() {
    let folder = tempfile::tempdir().unwrap();
    catalog(folder.path());
    let report = load(folder.path(), &["--as", "dynamodb", "--rate", "2/s", "--for", "6s"]);
    let hot = writes(&report);
    assert_eq!(hot["throttled"], 0, "{report:#}");
    assert_eq!(hot["expected"], hot["predicted"], "{report:#}");
}

#[test]
fn a_folder_is_opened_with_the_limits_that_it_was_made_with() {
    let folder = tempfile::tempdir().unwrap();
    let boards = catalog(folder.path());
    let (nothing, dynamodb, cassandra): (&[&str], &[&str], &[&str]) =
        (&[], &["--as", "dynamodb"], &["--as", "cassandra"]);
    for (made, otherwise) in [(dynamodb, cassandra), (nothing, dynamodb)] {
        let data = folder.path().join(format!("data{}", made.len()));
        let data = ["--data", data.to_str().unwrap()];
        let up = Up::start(&boards, folder.path(), &[&data[..], made].concat());
        assert_eq!(up.stop("-TERM"), Some(0));
        let refused = |more: &[&str]| {
            let arguments = [&["up", "catalog.yaml", "--listen", "127.0.0.1:0"][..], &data[..], more].concat();
            let (code, said) = ended(&arguments, folder.path());
            assert_eq!(code, 2, "{more:?}: {said}");
            said
        };
        let said = refused(otherwise);
        if made.is_empty() {
            assert!(said.contains("this folder was made without `--as dynamodb`"), "{said}");
        } else {
            assert!(said.contains("this folder was made with `--as dynamodb`"), "{said}");
            assert!(refused(&[]).contains("this folder was made with `--as dynamodb`"));
            let (code, said) = ended(&["export", "catalog.yaml", data[0], data[1]], folder.path());
            assert!(code != 0 && said.contains("`keyloom up --as dynamodb` serves it"), "{said}");
        }
        // And it is opened again as it was made.
        let up = Up::start(&boards, folder.path(), &[&data[..], made].concat());
        assert!(up.said.contains("(opened)"), "{}", up.said);
        assert_eq!(up.stop("-TERM"), Some(0));
    }
}

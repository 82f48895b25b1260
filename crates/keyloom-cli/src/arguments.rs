use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use keyloom::embedded::Durability;
use keyloom::facts::Dollars;
use keyloom::finding::Level;
use keyloom::finding::render::Format;
use keyloom::model::{Date, Engine};
use keyloom::serve::StoreAddress;
use keyloom::size::{NodeSize, WhatIf};

#[derive(Parser)]
#[command(
    name = "keyloom",
    bin_name = "keyloom",
    version,
    about = "Query-first NoSQL design as software: from a catalog of entities and access patterns to checked tables",
    after_help = "Start here:\n  keyloom init shop          write an example catalog\n  keyloom up                 serve it, with three curl lines to try\n  keyloom check              review the catalog in this folder\n  keyloom show . get_order   see one pattern as an endpoint\n\nExit codes: 0 fine, 1 findings at the denied level or rows that differ, 2 the input can't be read or the call is wrong, 3 the world failed.",
    propagate_version = true,
    disable_help_subcommand = true
)]
struct Keyloom {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve a catalog's patterns as endpoints, on data in a folder
    #[command(
        after_help = "Examples:\n  keyloom up                                   the catalog.yaml of this folder\n  keyloom up examples/shop                     prints three curl lines to try\n  keyloom up shop.yaml --data /srv/shop --sync always\n  keyloom up --listen 127.0.0.1:0              on a free port\n  keyloom up examples/shop --as dynamodb       in a folder, with DynamoDB's limits: see docs/up.md\n  keyloom up --store cassandra://db-1,db-2/shop?dc=north\n  keyloom up --store cassandra://127.0.0.1/shop --create-keyspace 1\n  keyloom up --store dynamodb://eu-central-1 --dry-run\n  keyloom up --store dynamodb://local --endpoint http://127.0.0.1:8000\n\nIt stops on Ctrl-C. The data stays where it is."
    )]
    Up(UpArguments),
    /// Add, list and revoke the keys that callers show
    #[command(
        subcommand,
        after_help = "Examples:\n  keyloom key add --subject ann --tenant acme  reads and writes the rows of one tenant\n  keyloom key add --subject ann                where the catalog has no tenants\n  keyloom key add --subject nightly --worker   names a tenant with each call, in the header Keyloom-Tenant\n  keyloom key add --subject ops --operator     the same, and sees how it all runs\n  keyloom key list examples/shop --data /srv/shop\n  keyloom key revoke 5d1f0c9a2b3e --store cassandra://db-1/shop\n\nA key is shown once, when it is added; the store has its hash alone. Callers send it with each request:\n  curl -H \"Authorization: Bearer $KEYLOOM_KEY\" http://127.0.0.1:7878/v1/get_order?order_id=..\n\nFrom the first key on, every request needs one. A running `keyloom up` is asked to make the change."
    )]
    Key(KeyArguments),
    /// Drive a catalog's patterns at its own rates, on believable rows, and say how they did
    #[command(
        after_help = "Examples:\n  keyloom load examples/shop                   in this process, on a folder that is removed behind it\n  keyloom load examples/chat --rate 300/s --for 1min\n  keyloom load examples/chat --as dynamodb     with DynamoDB's limits: which partition throttles, beside what was predicted\n  keyloom load examples/shop --target http://127.0.0.1:7878\n                                               against a running `keyloom up`; KEYLOOM_KEY or --key is its operator key\n  keyloom load examples/shop --store cassandra://db-1/shop --max\n  keyloom load examples/shop --from shop.jsonl --format json > load.json\n\nRows are made first. Then calls come when they are due, whether earlier ones were answered or not, and are timed\nfrom then. A call that reads more than its path promised is a failure: exit code 1. See docs/load.md."
    )]
    Load(LoadArguments),
    /// Write all data of a folder into one file, also while it is served
    #[command(
        after_help = "Examples:\n  keyloom backup .keyloom/shop shop.backup\n  keyloom restore shop.backup .keyloom/shop-again\n\nThe file holds one moment, whatever is written meanwhile, and is there only when it is whole."
    )]
    Backup(BackupArguments),
    /// Make a data folder from a backup
    #[command(
        after_help = "Example:\n  keyloom restore shop.backup .keyloom/shop-again\n  keyloom up examples/shop --data .keyloom/shop-again\n\nThe folder is there only when the whole backup was read and found right."
    )]
    Restore(RestoreArguments),
    /// Print every row of a catalog's data as a line of JSON, also while it is served
    #[command(
        after_help = "Examples:\n  keyloom export examples/shop > shop.jsonl\n  keyloom export examples/shop --store cassandra://db-1/shop\n  keyloom export examples/shop --data /srv/shop | grep '\"entity\":\"Order\"'\n\nEach line is {\"entity\": .., \"version\": .., \"row\": {..}}. Rows that change meanwhile are seen before or after;\na moment is what `keyloom backup` holds."
    )]
    Export(DataArguments),
    /// Compare every list, unique value and kept value with the rows that it follows from, also while it is served
    #[command(
        after_help = "Examples:\n  keyloom verify                               this folder's catalog, its data in .keyloom\n  keyloom verify examples/shop --data /srv/shop\n  keyloom verify examples/shop --store cassandra://db-1/shop --rate 5000\n  keyloom verify examples/shop --target http://127.0.0.1:7878\n  keyloom verify --format json | jq .stale\n\nNothing is changed. What is cut off goes on where it was; --anew begins from the start. What is under way is no\ndifference: it is looked at again.\nExit code 1 when something differs; `keyloom repair` brings that right."
    )]
    Verify(VerifyArguments),
    /// Bring right what `verify` finds, by the rules of every write, also while it is served
    #[command(
        after_help = "Examples:\n  keyloom repair\n  keyloom repair examples/shop --data /srv/shop --rate 2000\n  keyloom repair examples/shop --store cassandra://db-1/shop\n\nRows are never changed: lists, unique values and kept values are derived from them again. Then all is verified.\nExit code 0 when nothing differs any more."
    )]
    Repair(VerifyArguments),
    /// Review a catalog, its layout, or a CQL schema and the statements that use it
    #[command(
        after_help = "Examples:\n  keyloom check                                all that this folder holds: catalog.yaml, CQL, programs\n  keyloom check schema/ --queries src/         a schema, and the programs that use it\n  keyloom check examples/cases                 a folder, which stands for its catalog.yaml\n  keyloom check examples/cases layout.yaml     a catalog and its layout\n  keyloom check --deny warning orders.yaml     fail on warnings too\n  keyloom check --format sarif > keyloom.sarif for code scanning\n  keyloom check --write-baseline known.txt     write down what is there today,\n  keyloom check --baseline known.txt           and see only what is new\n  keyloom check --since origin/main            only what stands in changed lines, or points to them\n\nA comment allows a finding of the statement behind it, in CQL and in programs:\n  -- keyloom: allow full-scan because 'nightly, 200 rows' until 2027-03-01\n\nSettings come from the nearest keyloom.toml up to the repository's root:\n  deny = \"warning\"\n  exclude = [\"old/**\"]\n  [[allow]]\n  rule = \"missing-expiry\"\n  because = \"the archive job removes rows\"\n  until = \"2027-01-01\"\n  paths = [\"billing/**\"]"
    )]
    Check(CheckArguments),
    /// Design the tables of a catalog on an engine: the cheapest of those that can be thought of, and why
    #[command(
        after_help = "Examples:\n  keyloom design                               the layout of this folder's catalog, on the embedded store\n  keyloom design examples/cases --engine cassandra -o layout.yaml\n                                               write it, and say in a sentence how each pattern is answered\n  keyloom design examples/cases --engine dynamodb --explain\n                                               what it costs, and for each pattern what would be next best\n  keyloom design examples/cases --explain=show_timeline\n                                               all that was thought of for one pattern\n  keyloom design examples/cases --engine cassandra --report review\n                                               a page for a meeting: review/index.html\n  keyloom design examples/cases --engines all  on every engine, side by side\n  keyloom design examples/shop --from layout.yaml -o layout.yaml --force\n                                               keep what is in use unless a change pays\n  keyloom design examples/shop --from layout.yaml --fix-only\n                                               the fewest changes that remove errors and warnings\n  keyloom show examples/cases close_task --layout layout.yaml\n  keyloom up examples/shop --layout layout.yaml\n\nThe same catalog gives the same layout. What no layout could hold on the engine is said, with a way out.\nWithout --layout, `up`, `size`, `show` and `emit` take this one."
    )]
    Design(DesignArguments),
    /// Print a catalog in the words of others: its tables as CQL, CloudFormation, Terraform or a diagram, its endpoints as OpenAPI
    #[command(
        after_help = "Examples:\n  keyloom emit cql examples/cases > cases.cql\n  keyloom emit cloudformation examples/shop > shop.template.json\n  keyloom emit terraform examples/shop > shop.tf\n  keyloom emit diagram examples/cases          for Mermaid: tables with their keys, patterns as arrows\n  keyloom emit cql examples/shop --layout layout.yaml --keyspace shop\n  keyloom emit openapi examples/shop -o shop.openapi.json\n                                               OpenAPI 3.1, as `keyloom up` serves it at /openapi.json\n\nThe tables are those that `keyloom up` makes. Without --layout, one is designed."
    )]
    Emit(EmitArguments),
    /// Show what was understood: endpoints, inputs, answers, reasons, moves
    #[command(
        after_help = "Examples:\n  keyloom show                                 all entities and endpoints of this folder's catalog\n  keyloom show examples/cases close_task       one pattern in full\n  keyloom show examples/cases close_task --engine cassandra\n                                               and what it does to the tables\n  keyloom show shop.yaml --format json         for programs"
    )]
    Show(ShowArguments),
    /// Say what a catalog comes to on an engine: rows, bytes, units, money, and which limit is crossed first
    #[command(
        after_help = "Examples:\n  keyloom size                                 this folder's catalog on the embedded store\n  keyloom size examples/shop --engine dynamodb --region eu-west-1\n  keyloom size examples/cases --engine cassandra --replicas 3 --node-size '8 cores, 2TB' --node-price 310\n  keyloom size examples/cases --layout cases.layout.yaml --format json\n  keyloom size examples/cases --engine cassandra --what-if 'busiest tenant x100' --what-if 'open_case.rate x5'\n  keyloom size examples/cases --engine cassandra --what-if 'Task.assignee_id.worst x10' --plot cases.svg\n\nWhat the catalog does not state is left open by name and never counts as zero: `?` is not known, `40M+` leaves\nsomething out. Money comes from mean rates, limits from worst groups and peaks."
    )]
    Size(SizeArguments),
    /// Print catalogs canonically: order of keys, indentation, quotes; comments stay
    #[command(
        after_help = "Examples:\n  keyloom fmt                 rewrite this folder's catalog.yaml\n  keyloom fmt a.yaml b.yaml   rewrite these files\n  keyloom fmt --check         change nothing, exit 1 if something would change (for CI)\n  keyloom fmt - < a.yaml      from standard input to standard output"
    )]
    Fmt(FmtArguments),
    /// Print a JSON Schema of the catalog or layout language, for completion in editors
    #[command(
        name = "json-schema",
        after_help = "Example, with the YAML language server:\n  keyloom json-schema > keyloom.schema.json\n  and as the first line of catalog.yaml:\n  # yaml-language-server: $schema=keyloom.schema.json\n\nOf layouts:\n  keyloom json-schema layout > layout.schema.json"
    )]
    JsonSchema(JsonSchemaArguments),
    /// Write a catalog to start from: an example, or one made from a schema and its statements
    #[command(
        override_usage = "keyloom init [EXAMPLE] [FOLDER]\n       keyloom init --from <PATH> [--queries <PATH>] [FOLDER]",
        after_help = "Examples:\n  keyloom init                                 list the examples\n  keyloom init shop                            write shop as catalog.yaml into this folder\n  keyloom init chat talk                       write chat as talk/catalog.yaml\n  keyloom init --from .                        a catalog from the schema and the programs of this folder\n  keyloom init --from schema/ --queries src/ design\n                                               the same, where they lie in two places, as design/catalog.yaml\n\nWhat no schema tells (rates, sizes, how long rows are kept) is asked for in comments. No file is ever overwritten."
    )]
    Init(InitArguments),
    /// Explain a rule: what it finds, why it matters, what to do
    #[command(
        after_help = "Examples:\n  keyloom explain                  list all rules\n  keyloom explain missing-expiry"
    )]
    Explain(ExplainArguments),
}

#[derive(Args)]
pub(crate) struct CheckArguments {
    /// Catalogs, layouts and schemas: a folder stands for its catalog.yaml or, without one, for the CQL and programs below it;
    /// `-` is a catalog on standard input; a layout belongs to the catalog beside it. By default all that this folder holds
    pub(crate) paths: Vec<PathBuf>,
    /// Files and folders with programs, or with statements, that use the schema; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) queries: Vec<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: FindingFormat,
    /// The level from which findings fail the command: note, warning or error
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(crate) deny: Option<Level>,
    /// Leave out the findings of this rule; may be repeated
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Leave out the findings that this file knows
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings into this file, to be left out with --baseline from then on
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "since"])]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Leave out the findings that neither stand in a line changed since this revision of git nor point to one
    #[arg(long, value_name = "REVISION")]
    pub(crate) since: Option<String>,
    /// The day to judge by, as 2026-11-15; by default the clock's
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) today: Option<Date>,
}

#[derive(Args)]
pub(crate) struct UpArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// The layout to store it by; without one, it is designed
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// The folder with the data; by default .keyloom/ and the name of the catalog
    #[arg(long, value_name = "FOLDER", conflicts_with = "address")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArguments,
    /// Serves the folder with the limits of this engine: its layout, what it refuses, throttles and warns of
    #[arg(long = "as", value_enum, value_name = "ENGINE", conflicts_with = "address")]
    pub(crate) as_engine: Option<AsEngine>,
    /// Makes the keyspace, if it is not there, with so many replicas
    #[arg(long, value_name = "RF", requires = "address", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub(crate) create_keyspace: Option<u32>,
    /// Prints what would be made and filled, and stops
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Agrees to a change of the layout that runs in an engine; without it, somebody at a terminal is asked
    #[arg(long, requires = "address")]
    pub(crate) yes: bool,
    /// The address to listen on, or a port of this machine; port 0 takes a free one. One that other machines reach needs a
    /// key first: keyloom key add
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// What an acknowledged write survives; for data in a folder
    #[arg(long, value_enum, value_name = "WHEN", default_value = "normal", conflicts_with = "address")]
    pub(crate) sync: Sync,
    /// What is written to standard error: as sentences on a terminal, else as a JSON object in each line
    #[arg(long, value_enum, value_name = "WHAT", default_value = "failures")]
    pub(crate) log: LogWhat,
}

/// An engine whose limits a folder may be given.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AsEngine {
    /// Units of each partition, pages, items, transactions, indexes that are behind, rows that stay after their end
    Dynamodb,
    /// Warnings of large partitions, tombstones and batches; reads over too many tombstones fail
    Cassandra,
}

impl AsEngine {
    pub(crate) fn kind(self) -> Engine {
        match self {
            Self::Dynamodb => Engine::DynamoDb,
            Self::Cassandra => Engine::Cassandra,
        }
    }
}

/// What is written down of calls.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogWhat {
    /// Calls that failed by no fault of their callers; each cause once a second at most
    Failures,
    /// Every call
    Calls,
}

#[derive(Args)]
pub(crate) struct LoadArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// A running `keyloom up`; without one, the catalog is served by this process
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "address", "layout"])]
    pub(crate) target: Option<String>,
    /// An operator key; better in KEYLOOM_KEY, where nobody else on the machine sees it. In process, that of development
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// The layout to store it by; without one, it is designed
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// A folder for the data that stays; by default one that is removed at the end
    #[arg(long, value_name = "FOLDER", conflicts_with = "address")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArguments,
    /// With the limits of this engine, as `keyloom up --as`; with --target, the engine whose limits that one has
    #[arg(long = "as", value_enum, value_name = "ENGINE", conflicts_with = "address")]
    pub(crate) as_engine: Option<AsEngine>,
    /// Makes the keyspace, if it is not there, with so many replicas
    #[arg(long, value_name = "RF", requires = "address", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub(crate) create_keyspace: Option<u32>,
    /// All calls together, in the catalog's proportions: 200/s, 5k/min; by default the catalog's own rates
    #[arg(long, value_name = "RATE", value_parser = crate::load::rate, conflicts_with = "max")]
    pub(crate) rate: Option<f64>,
    /// As fast as calls are answered, by each connection one after the other
    #[arg(long)]
    pub(crate) max: bool,
    /// How long calls are made: 30s, 5min, 1h
    #[arg(long = "for", value_name = "TIME", default_value = "30s", value_parser = crate::load::time)]
    pub(crate) time: std::time::Duration,
    /// How many rows are made first, of the entity that has most; of the others in the catalog's proportions
    #[arg(long, value_name = "NUMBER", default_value = "500", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) rows: u64,
    /// Rows to make instead, in lines as `keyloom export` prints them
    #[arg(long, value_name = "FILE", conflicts_with = "rows")]
    pub(crate) from: Option<PathBuf>,
    /// Where chance begins: the same number gives the same rows and calls
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    pub(crate) seed: u64,
    /// How many connections are used
    #[arg(long, value_name = "NUMBER", default_value = "64", value_parser = clap::value_parser!(u16).range(1..=2_000))]
    pub(crate) connections: u16,
    /// How the report is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
}

#[derive(Args)]
pub(crate) struct BackupArguments {
    /// The folder with the data
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// The file to write; there must be none of that name
    pub(crate) file: PathBuf,
}

#[derive(Args)]
pub(crate) struct RestoreArguments {
    /// The backup
    pub(crate) file: PathBuf,
    /// The folder to make; it must be new or empty
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
}

#[derive(Subcommand)]
pub(crate) enum KeyArguments {
    /// Add a key and print it, this once
    #[command(
        after_help = "Examples:\n  keyloom key add --subject ann --tenant acme\n  KEYLOOM_KEY=$(keyloom key add examples/shop --subject ann)\n  keyloom key add --subject ops --operator --store dynamodb://eu-central-1\n\nThe key alone goes to standard output."
    )]
    Add(KeyAddArguments),
    /// List all keys with their ids, never what is shown
    List(KeyListArguments),
    /// Revoke a key; when this ends, no process lets it in any more
    #[command(
        after_help = "Example:\n  keyloom key list\n  keyloom key revoke 5d1f0c9a2b3e\n\nA process believes for up to 5 s what it looked up, so this waits for as long where one may run."
    )]
    Revoke(KeyRevokeArguments),
}

#[derive(Args)]
pub(crate) struct KeyAddArguments {
    #[command(flatten)]
    pub(crate) of: DataArguments,
    /// Who calls with it, which a catalog calls $caller
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: String,
    /// The tenant whose rows it reads and writes
    #[arg(long, value_name = "TENANT", conflicts_with_all = ["worker", "operator"])]
    pub(crate) tenant: Option<String>,
    /// A worker's: it names the tenant with each call
    #[arg(long, conflicts_with = "operator")]
    pub(crate) worker: bool,
    /// An operator's: it names the tenant with each call, and sees how it all runs
    #[arg(long)]
    pub(crate) operator: bool,
}

#[derive(Args)]
pub(crate) struct KeyListArguments {
    #[command(flatten)]
    pub(crate) of: DataArguments,
}

#[derive(Args)]
pub(crate) struct KeyRevokeArguments {
    /// The id of the key, as `keyloom key list` shows it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) of: DataArguments,
}

/// Whose rows, and where they are.
#[derive(Args, Clone)]
pub(crate) struct DataArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// The layout they are stored by; without one, it is designed
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// The folder with the data; by default .keyloom/ and the name of the catalog
    #[arg(long, value_name = "FOLDER", conflicts_with = "address")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

#[derive(Args, Clone)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) of: DataArguments,
    /// A running `keyloom up`, which does it and says how far it is
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "address", "layout"])]
    pub(crate) target: Option<String>,
    /// An operator key for --target; better in KEYLOOM_KEY, where nobody else on the machine sees it
    #[arg(long, requires = "target")]
    pub(crate) key: Option<String>,
    /// At most so many rows a second
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
    /// Begin from the start, also where an earlier one was cut off
    #[arg(long)]
    pub(crate) anew: bool,
}

/// Rows in an engine.
#[derive(Args, Clone)]
pub(crate) struct StoreArguments {
    /// An engine that holds the rows instead of a folder: cassandra://HOST/KEYSPACE or dynamodb://REGION
    #[arg(id = "address", long = "store", value_name = "ADDRESS")]
    pub(crate) address: Option<StoreAddress>,
    /// Another address of DynamoDB than its region's own, such as http://127.0.0.1:8000
    #[arg(long, value_name = "URL", requires = "address")]
    pub(crate) endpoint: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Sync {
    /// The end of the process, however sudden
    Normal,
    /// The end of the machine's power too; each write waits for the disk
    Always,
}

impl Sync {
    pub(crate) fn durability(self) -> Durability {
        match self {
            Self::Normal => Durability::ProcessCrash,
            Self::Always => Durability::PowerLoss,
        }
    }
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("written").args(["output", "report"]).multiple(true))]
pub(crate) struct DesignArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// The engine: embedded (the default), cassandra or dynamodb
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub(crate) engine: Option<Engine>,
    /// All engines side by side: which patterns are served, what they cost, what breaks
    #[arg(long, value_enum, value_name = "all", conflicts_with_all = ["engine", "explain", "from", "output", "report", "format"])]
    pub(crate) engines: Option<Engines>,
    /// Say why: what it costs, how each pattern is answered, what would be next best; with a name, all that was thought of for one
    /// pattern
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "format")]
    pub(crate) explain: Option<String>,
    /// The layout in use: its tables stay unless a change breaks fewer limits, or saves a tenth and pays back within six months
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Change as few tables of the layout in use as can be, and only for errors and warnings of `check`
    #[arg(long, requires = "from")]
    pub(crate) fix_only: bool,
    /// How long to look, as 30s or 5min; what is found by then is the best so far, with its gap. By default as many steps on every machine
    #[arg(long, value_name = "TIME", value_parser = crate::load::time)]
    pub(crate) budget: Option<std::time::Duration>,
    /// The file to write; without it, the layout is printed
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a page for a review into this folder, as index.html: diagram, reasons, growth, costs, findings; it loads nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "format")]
    pub(crate) report: Option<PathBuf>,
    /// Write over a file that says something else
    #[arg(long, requires = "written")]
    pub(crate) force: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
}

/// Which engines stand side by side.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Engines {
    /// Every one that is designed for
    All,
}

#[derive(Args)]
pub(crate) struct EmitArguments {
    /// What is printed
    #[arg(value_enum)]
    pub(crate) kind: EmitKind,
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// The layout; without one, it is designed
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// The engine of a diagram, where no layout says it; cql is for cassandra, cloudformation and terraform for dynamodb
    #[arg(long, value_name = "ENGINE", value_parser = engine, conflicts_with = "layout")]
    pub(crate) engine: Option<Engine>,
    /// The keyspace of the CQL; by default the name of the catalog
    #[arg(long, value_name = "NAME")]
    pub(crate) keyspace: Option<String>,
    /// Write it into this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over a file that says something else
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitKind {
    /// Statements for Cassandra
    Cql,
    /// A template for DynamoDB
    Cloudformation,
    /// Resources for DynamoDB
    Terraform,
    /// For Mermaid
    Diagram,
    /// The endpoints as OpenAPI 3.1, as JSON
    Openapi,
}

#[derive(Args)]
pub(crate) struct ShowArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// One pattern or entity of it
    pub(crate) name: Option<String>,
    /// Also show how it is answered by the tables of this layout
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// Also show how it is answered by the tables that would be designed for this engine
    #[arg(long, value_name = "ENGINE", value_parser = engine, conflicts_with = "layout")]
    pub(crate) engine: Option<Engine>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
}

#[derive(Args)]
pub(crate) struct SizeArguments {
    /// A catalog file or folder; a folder stands for its catalog.yaml
    #[arg(default_value = ".")]
    pub(crate) catalog: PathBuf,
    /// The engine, on which a layout is designed by rule: embedded, cassandra or dynamodb
    #[arg(long, value_name = "ENGINE", default_value = "embedded", value_parser = engine, conflicts_with = "layout")]
    pub(crate) engine: Engine,
    /// A layout of the catalog; it says which engine
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    /// Change a number and show both: `busiest tenant x100`, `PATTERN.rate x5`, `ENTITY.FIELD.worst x10`, `scenario NAME`; may
    /// be repeated
    #[arg(long, value_name = "CHANGE", value_parser = WhatIf::parse)]
    pub(crate) what_if: Vec<WhatIf>,
    /// Draw the growth of the worst partitions and the cost of each pattern into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// The region whose prices are taken, for DynamoDB; us-east-1 unless stated
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// Prices of your own, in the form that docs/size.md shows, for DynamoDB
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// How many nodes have each row, for Cassandra; 3 unless stated
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub(crate) replicas: Option<u32>,
    /// The size of a node, to say how many are needed: '8 cores, 2TB'; for Cassandra
    #[arg(long, value_name = "SIZE", value_parser = NodeSize::parse)]
    pub(crate) node_size: Option<NodeSize>,
    /// What a node costs in a month, in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = keyloom::size::node_price, requires = "node_size")]
    pub(crate) node_price: Option<Dollars>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
}

#[derive(Args)]
pub(crate) struct FmtArguments {
    /// Catalog files or folders; `-` reads standard input
    #[arg(default_value = ".")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; exit with 1 if a file is not canonical
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct InitArguments {
    /// The example: shop, chat, sensors or cases; without it, they are listed
    pub(crate) example: Option<String>,
    /// The folder to write it into; made if it is not there
    pub(crate) folder: Option<PathBuf>,
    /// A file or folder with a schema to write a catalog from; may be repeated. Without `--queries`, the programs in it are
    /// read too
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Vec<PathBuf>,
    /// A file or folder with the statements and programs that use the schema; may be repeated
    #[arg(long, value_name = "PATH", requires = "from")]
    pub(crate) queries: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct JsonSchemaArguments {
    /// Of which language
    #[arg(value_enum, default_value = "catalog")]
    pub(crate) language: Language,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Language {
    /// What an application asks for
    Catalog,
    /// How that is stored on one engine
    Layout,
}

#[derive(Args)]
pub(crate) struct ExplainArguments {
    /// The rule's name; without it, all rules are listed
    pub(crate) rule: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FindingFormat {
    /// For people, with the place in the file
    Text,
    /// One line for each finding
    Concise,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in GitHub workflows
    Github,
}

impl FindingFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Text => Format::Text,
            Self::Concise => Format::Concise,
            Self::Json => Format::Json,
            Self::Sarif => Format::Sarif,
            Self::Github => Format::Github,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Reads the command line; clap answers help and wrong calls itself, with exit codes 0 and 2.
pub(crate) fn parse() -> Command {
    Keyloom::parse().command
}

fn engine(text: &str) -> Result<Engine, String> {
    Engine::from_name(text).ok_or_else(|| "there are: embedded, cassandra, dynamodb".to_owned())
}

fn level(text: &str) -> Result<Level, String> {
    Level::from_name(text).ok_or_else(|| "there are: note, warning, error".to_owned())
}

fn day(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "write it as 2026-11-15".to_owned())
}

/// An address with its port; a port alone, `:7878` and `localhost:7878` are this machine's own.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    let port = Some(port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let own = port.and_then(|port| port.parse().ok()).map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    own.or_else(|| text.parse().ok())
        .ok_or_else(|| "write 127.0.0.1:7878, [::1]:7878, localhost:7878 or 7878".to_owned())
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_may_be_a_port_alone() {
        for text in ["127.0.0.1:7402", "localhost:7402", ":7402", "7402"] {
            assert_eq!(address(text).map(|address| address.to_string()), Ok("127.0.0.1:7402".to_owned()), "{text}");
        }
        assert_eq!(address("[::1]:0").map(|address| address.to_string()), Ok("[::1]:0".to_owned()));
        for text in ["", ":", "localhost", "localhost7402", "127.0.0.1", "70000", ":-1", ":+1", "::1", "example.com:80"]
        {
            assert!(address(text).is_err_and(|fault| fault.contains("127.0.0.1:7878")), "{text}");
        }
    }
}

//! How a node is started: its settings, its log, its command line.

use std::{fs, io, net::IpAddr, path::Path, time::Duration};

use super::{Options, Paxos, tls};

/// The ports of a node.
#[derive(Debug, Clone, Copy)]
pub struct Ports {
    pub native: u16,
    pub native_tls: u16,
    pub storage: u16,
    pub storage_tls: u16,
}

impl From<[u16; 4]> for Ports {
    fn from([native, native_tls, storage, storage_tls]: [u16; 4]) -> Self {
        Self { native, native_tls, storage, storage_tls }
    }
}

/// What Java 17 must open for Cassandra: packages exported to it.
const EXPORTS: [&str; 9] = [
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/java.lang.ref",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "jdk.unsupported/sun.misc",
];

/// Packages opened to reflection.
const OPENS: [&str; 15] = [
    "java.base/java.lang.module",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.util",
    "java.base/java.nio",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "jdk.management/com.sun.management.internal",
];

const LOGBACK: &str = r#"<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level [%thread] %date{ISO8601} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="STDOUT"/></root>
</configuration>
"#;

/// Writes the settings of a node into `folder`.
pub fn write(folder: &Path, options: &Options, ports: &Ports, seeds: &[IpAddr]) -> io::Result<()> {
    let conf = folder.join("conf");
    fs::create_dir(&conf)?;
    fs::write(conf.join("cassandra.yaml"), settings(folder, options, ports, seeds))?;
    fs::write(conf.join("logback.xml"), LOGBACK)
}

/// `cassandra.yaml`: everything that a schema may use is switched on; guardrails are as they come.
fn settings(folder: &Path, options: &Options, ports: &Ports, seeds: &[IpAddr]) -> String {
    let Options { address, timeouts, .. } = options;
    let Ports { native, native_tls, storage, storage_tls } = ports;
    let data = folder.display();
    let token = options.token.map_or_else(String::new, |token| format!("initial_token: {token}\n"));
    let seeds: Vec<String> = seeds.iter().map(|seed| format!("{seed}:{storage}")).collect();
    let seeds = seeds.join(",");
    let paxos = match options.paxos {
        Paxos::V1 => "v1",
        Paxos::V2 => "v2",
    };
    let [read, write, contention] =
        [timeouts.read, timeouts.write, timeouts.contention].map(|time| Duration::as_millis(&time));
    let mut settings = format!(
        "\
cluster_name: keyloom
num_tokens: 1
{token}auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: '{seeds}'}}]
listen_address: {address}
rpc_address: {address}
storage_port: {storage}
ssl_storage_port: {storage_tls}
native_transport_port: {native}
read_request_timeout: {read}ms
write_request_timeout: {write}ms
cas_contention_timeout: {contention}ms
paxos_variant: {paxos}
data_file_directories: ['{data}/data']
commitlog_directory: '{data}/commitlog'
saved_caches_directory: '{data}/saved_caches'
hints_directory: '{data}/hints'
cdc_raw_directory: '{data}/cdc_raw'
commitlog_sync: periodic
commitlog_sync_period: 10s
auto_snapshot: false
materialized_views_enabled: true
user_defined_functions_enabled: true
sasi_indexes_enabled: true
drop_compact_storage_enabled: true
"
    );
    if options.passwords {
        settings.push_str(
            "authenticator: PasswordAuthenticator\nauthorizer: CassandraAuthorizer\nrole_manager: CassandraRoleManager\n",
        );
    }
    if options.tls {
        // A port of its own for TLS leaves the other one to the question whether the node is up.
        let (store, password) = (tls::key_store(folder), tls::STORE_PASSWORD);
        settings.push_str(&format!(
            "\
native_transport_port_ssl: {native_tls}
client_encryption_options:
  enabled: true
  optional: false
  keystore: '{}'
  keystore_password: {password}
  store_type: PKCS12
",
            store.display()
        ));
    }
    settings
}

/// Java, its flags, and the daemon.
pub fn command(jars: &Path, folder: &Path, options: &Options) -> Vec<String> {
    let lib = jars.join("lib");
    let mut command = vec!["java".to_owned(), format!("-javaagent:{}", lib.join("jamm-0.4.0.jar").display())];
    for (flag, packages) in [("--add-exports", &EXPORTS[..]), ("--add-opens", &OPENS[..])] {
        command.extend(packages.iter().map(|package| format!("{flag}={package}=ALL-UNNAMED")));
    }
    command.push(format!("-Dcassandra.config=file://{}", folder.join("conf/cassandra.yaml").display()));
    command.push(format!("-Dcassandra.storagedir={}", folder.display()));
    command.push(format!("-Xmx{}m", options.heap_megabytes));
    // What is not on the disk at a kill is in the commit log; but a table must be known before its rows are replayed.
    command.push(format!("-Dcassandra.test.flush_local_schema_changes={}", options.restarts));
    let flags = [
        "-Dcassandra-foreground=yes",
        // Alone, or among nodes of one machine: there is nobody to wait for.
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=0",
        "-Dcassandra.superuser_setup_delay_ms=0",
        "-XX:+UseSerialGC",
        "-cp",
    ];
    command.extend(flags.map(str::to_owned));
    command.push(format!("{}/*:{}", lib.display(), folder.join("conf").display()));
    command.push("org.apache.cassandra.service.CassandraDaemon".to_owned());
    command
}

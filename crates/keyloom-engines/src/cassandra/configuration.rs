//! How a node is started: its settings, its log, its command line.

use std::{fs, io, path::Path};

use super::Options;

/// The ports of one node.
#[derive(Debug)]
pub struct Ports {
    pub native: u16,
    pub storage: u16,
    pub secure: u16,
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
pub fn write(folder: &Path, options: &Options, ports: &Ports) -> io::Result<()> {
    let conf = folder.join("conf");
    fs::create_dir(&conf)?;
    fs::write(conf.join("cassandra.yaml"), settings(folder, options, ports))?;
    fs::write(conf.join("logback.xml"), LOGBACK)
}

/// `cassandra.yaml`: everything that a schema may use is switched on; guardrails are as they come.
fn settings(folder: &Path, options: &Options, ports: &Ports) -> String {
    let Options { address, token, .. } = options;
    let Ports { native, storage, secure } = ports;
    let data = folder.display();
    let token = token.map_or_else(String::new, |token| format!("initial_token: {token}\n"));
    format!(
        "\
cluster_name: keyloom
num_tokens: 1
{token}auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: '{address}:{storage}'}}]
listen_address: {address}
rpc_address: {address}
storage_port: {storage}
ssl_storage_port: {secure}
native_transport_port: {native}
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
    )
}

/// Java, its flags, and the daemon.
pub fn command(jars: &Path, folder: &Path) -> Vec<String> {
    let lib = jars.join("lib");
    let mut command = vec!["java".to_owned(), format!("-javaagent:{}", lib.join("jamm-0.4.0.jar").display())];
    for (flag, packages) in [("--add-exports", &EXPORTS[..]), ("--add-opens", &OPENS[..])] {
        command.extend(packages.iter().map(|package| format!("{flag}={package}=ALL-UNNAMED")));
    }
    command.push(format!("-Dcassandra.config=file://{}", folder.join("conf/cassandra.yaml").display()));
    command.push(format!("-Dcassandra.storagedir={}", folder.display()));
    let flags = [
        "-Dcassandra-foreground=yes",
        // Alone, or among nodes of one machine: there is nobody to wait for.
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=0",
        "-Dcassandra.test.flush_local_schema_changes=false",
        "-Xmx1g",
        "-XX:+UseSerialGC",
        "-cp",
    ];
    command.extend(flags.map(str::to_owned));
    command.push(format!("{}/*:{}", lib.display(), folder.join("conf").display()));
    command.push("org.apache.cassandra.service.CassandraDaemon".to_owned());
    command
}

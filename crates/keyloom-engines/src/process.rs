//! A process that ends with the value that holds it, and also when the program that holds the value is killed.

use std::{
    fs::{self, File},
    io::{self, Write},
    net::{IpAddr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// Runs in `sh` and becomes the engine; beside it a watcher reads a pipe whose other end the holder keeps. A line says
/// that the engine was stopped in order. The end of the pipe says that the holder is gone: the watcher then does what
/// the holder can't do any more.
const WATCHED: &str = r#"
folder=$1; shift
exec 3<&0 </dev/null
( read -r stopped <&3 && exit
  kill -9 $$ 2>/dev/null
  while kill -0 $$ 2>/dev/null; do sleep 0.1; done
  rm -rf "$folder" ) &
exec "$@" 3<&-
"#;

/// A running engine with its folder of data.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    folder: PathBuf,
}

impl Engine {
    /// Starts `command` (a program and its arguments) with its output in the file `log` of `folder`, which is removed
    /// when the engine stops.
    pub fn start(folder: PathBuf, command: &[String]) -> io::Result<Self> {
        let log = File::create(log_file(&folder))?;
        let child = Command::new("sh")
            .args(["-c", WATCHED, "sh"])
            .arg(&folder)
            .args(command)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        Ok(Self { child, folder })
    }

    /// The process of the engine.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the engine ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The last lines that the engine printed.
    pub fn end_of_log(&self) -> String {
        let log = fs::read(log_file(&self.folder)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LINES_OF_LOG)..].join("\n")
    }
}

/// Enough for a Java exception with its cause.
const LINES_OF_LOG: usize = 60;

fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Whatever fails here has failed because the engine is gone, which is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(watcher) = &mut self.child.stdin {
            let _ = watcher.write_all(b"stopped\n");
        }
    }
}

/// Ports at `address` on which nobody listens now, all different.
pub fn free_ports<const N: usize>(address: IpAddr) -> io::Result<[u16; N]> {
    let mut listeners = Vec::with_capacity(N);
    let mut ports = [0; N];
    for port in &mut ports {
        let listener = TcpListener::bind(SocketAddr::new(address, 0))?;
        *port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(ports)
}

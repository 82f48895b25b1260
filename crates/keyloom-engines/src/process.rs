//! A process that ends with the value that holds it, and also when the program that holds the value is killed.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    net::{IpAddr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

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
    /// The holder's end of the pipe.
    watcher: Option<ChildStdin>,
    folder: PathBuf,
    command: Vec<String>,
}

impl Engine {
    /// Starts `command` (a program and its arguments) with its output in the file `log` of `folder`, which is removed
    /// when the engine stops.
    pub fn start(folder: PathBuf, command: Vec<String>) -> io::Result<Self> {
        let mut child = spawn(&folder, &command)?;
        Ok(Self { watcher: child.stdin.take(), child, folder, command })
    }

    /// Its folder of data.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The process of the engine.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the engine ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Stops the engine where it is.
    pub fn pause(&self) -> io::Result<()> {
        self.signal(Signal::STOP)
    }

    /// Lets a paused engine go on.
    pub fn resume(&self) -> io::Result<()> {
        self.signal(Signal::CONT)
    }

    /// Ends the engine at once; its folder stays. The process is not waited for, so that its number stays its own and
    /// the watcher can't meet a stranger.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()
    }

    /// Ends the engine if it runs, and starts it again in its folder.
    pub fn restart(&mut self) -> io::Result<()> {
        self.end();
        self.child = spawn(&self.folder, &self.command)?;
        // The new watcher is there before the old one goes: at no moment would a killed holder leave the folder.
        dismiss(self.watcher.take());
        self.watcher = self.child.stdin.take();
        Ok(())
    }

    /// Whatever fails here has failed because the process is gone, which is what was wanted.
    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        let process = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        let process = process.ok_or_else(|| io::Error::other("a process without a number"))?;
        Ok(kill_process(process, signal)?)
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
        self.end();
        let _ = fs::remove_dir_all(&self.folder);
        dismiss(self.watcher.take());
    }
}

/// Tells a watcher that there is nothing left to watch; it may have gone already.
fn dismiss(watcher: Option<ChildStdin>) {
    if let Some(mut watcher) = watcher {
        let _ = watcher.write_all(b"stopped\n");
    }
}

fn spawn(folder: &Path, command: &[String]) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).open(log_file(folder))?;
    Command::new("sh")
        .args(["-c", WATCHED, "sh"])
        .arg(folder)
        .args(command)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
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

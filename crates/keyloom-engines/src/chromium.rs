//! Pages of HTML before Chromium: what they say on its console, what becomes of their elements, how they look.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Unavailable, apt, cache};

/// Debian's browser, with letters to write with.
pub const CHROMIUM: apt::Packages =
    apt::Packages { folder: "chromium", names: &["chromium", "fonts-liberation", "fonts-dejavu-core"] };

/// Under which names a browser of this family may be installed.
const INSTALLED: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];

/// A browser without windows, without a network of its own, and without anybody's settings.
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--dump-dom",
];

/// The program, ready to be run.
#[derive(Debug)]
pub struct Chromium {
    program: PathBuf,
    /// The folder that stands for `/`, where it is not installed.
    root: Option<PathBuf>,
}

/// What a page became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// What the page or the browser said on the console: words and errors of scripts, and what the page's policy does not allow.
    pub console: Vec<String>,
    /// Its elements when all was loaded, as HTML.
    pub dom: String,
}

impl Chromium {
    /// The browser that is installed, or the one of Debian, fetched with `apt-get` if that was not done before.
    ///
    /// # Errors
    /// When there is none and apt is not there, or can't reach the packages.
    pub fn fetch() -> Result<Self, Unavailable> {
        let runs = |program: &&str| {
            let mut version = Command::new(program);
            version.arg("--version").stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
        };
        if let Some(installed) = INSTALLED.iter().find(|program| runs(program)) {
            return Ok(Self { program: PathBuf::from(installed), root: None });
        }
        let root = CHROMIUM.fetch()?;
        Ok(Self { program: root.join("usr/lib/chromium/chromium"), root: Some(root) })
    }

    /// Opens a page in a window of so many points, with a picture of it if one is wanted.
    ///
    /// # Errors
    /// When the browser can't be run, or ends before the page is there.
    pub fn open(&self, page: &Path, (width, height): (u32, u32), picture: Option<&Path>) -> io::Result<Opened> {
        let folder = cache::run_folder("chromium")?;
        let mut browser = Command::new(&self.program);
        browser.args(FLAGS).arg(format!("--window-size={width},{height}"));
        browser.arg(format!("--user-data-dir={}", folder.display()));
        if let Some(picture) = picture {
            browser.arg(format!("--screenshot={}", picture.display()));
        }
        if let Some(root) = &self.root {
            browser.env("LD_LIBRARY_PATH", libraries(root)?).env("XDG_DATA_HOME", root.join("usr/share"));
            let fonts = root.join("etc/fonts/fonts.conf");
            if fonts.is_file() {
                browser.env("FONTCONFIG_FILE", fonts);
            }
        }
        let output = browser.arg(format!("file://{}", page.display())).stdin(Stdio::null()).output();
        fs::remove_dir_all(&folder)?;
        let output = output?;
        let said = String::from_utf8_lossy(&output.stderr);
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() || dom.trim().is_empty() {
            return Err(io::Error::other(format!("the browser ended with {}: {said}", output.status)));
        }
        let console = said.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
        Ok(Opened { console, dom })
    }
}

/// Where the libraries are that came with it.
fn libraries(root: &Path) -> io::Result<OsString> {
    let mut folders = Vec::new();
    let mut open = vec![root.join("usr/lib")];
    while let Some(folder) = open.pop() {
        let mut holds = false;
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            holds |= path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            }
        }
        folders.extend(holds.then_some(folder));
    }
    folders.sort();
    std::env::join_paths(folders).map_err(io::Error::other)
}

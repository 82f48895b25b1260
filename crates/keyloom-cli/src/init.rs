use std::io::ErrorKind;

use keyloom::examples;

use crate::Exit;
use crate::arguments::InitArguments;
use crate::output::{complain, print};

/// Writes an example catalog; never over a file that is there.
pub(crate) fn run(arguments: &InitArguments) -> Exit {
    let listed = || {
        let lines = examples::ALL.iter().map(|example| format!("  {:<8} {}\n", example.name, example.summary));
        format!("examples:\n{}\nkeyloom init NAME writes one as catalog.yaml\n", lines.collect::<String>())
    };
    let Some(name) = &arguments.example else {
        print(&listed());
        return Exit::Fine;
    };
    let Some(example) = examples::find(name) else {
        complain(&format!("there is no example `{name}`\n{}", listed().trim_end()));
        return Exit::BadInput;
    };
    if let Err(error) = std::fs::create_dir_all(&arguments.folder) {
        complain(&format!("can't make the folder {}: {error}", arguments.folder.display()));
        return Exit::WorldFailed;
    }
    let path = arguments.folder.join("catalog.yaml");
    let created = std::fs::File::create_new(&path).and_then(|mut file| {
        use std::io::Write;
        file.write_all(example.text.as_bytes())
    });
    match created {
        Ok(()) => {
            let shown = crate::files::shown_name(&path);
            let folder = if arguments.folder.as_os_str() == "." {
                String::new()
            } else {
                format!(" {}", arguments.folder.display())
            };
            // The only example that has a layout so far.
            let up = if example.name == "shop" { format!("  keyloom up{folder}\n") } else { String::new() };
            print(&format!("wrote {shown}\n\nnext:\n  keyloom check{folder}\n  keyloom show{folder}\n{up}"));
            Exit::Fine
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            complain(&format!("{} is there already; name another folder: keyloom init {name} FOLDER", path.display()));
            Exit::BadInput
        }
        Err(error) => {
            complain(&format!("can't write {}: {error}", path.display()));
            Exit::WorldFailed
        }
    }
}

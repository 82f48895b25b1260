//! `key add`, `key list` and `key revoke`.

use keyloom::run::{Holder, Key, Role};
use keyloom::serve::{KeyData, KeysOf};
use keyloom::value::{Kind, Value, to_text};

use crate::Exit;
use crate::arguments::{KeyAddArguments, KeyArguments, KeyListArguments, KeyRevokeArguments};
use crate::data::failed;
use crate::output::{complain, print};
use crate::whose::Whose;

/// Adds, lists or revokes keys.
pub(crate) fn run(arguments: &KeyArguments) -> Exit {
    let done = match arguments {
        KeyArguments::Add(arguments) => add(arguments),
        KeyArguments::List(arguments) => list(arguments),
        KeyArguments::Revoke(arguments) => revoke(arguments),
    };
    match done {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}

/// The key alone goes to standard output, so that `KEY=$(keyloom key add ..)` has it and nothing else.
fn add(arguments: &KeyAddArguments) -> Result<(), Exit> {
    let of = Whose::read(&arguments.of)?;
    let role = match (arguments.worker, arguments.operator) {
        (true, _) => Role::Worker,
        (_, true) => Role::Operator,
        _ => Role::Client,
    };
    let holder = Holder { subject: arguments.subject.clone(), role, tenant: arguments.tenant.clone() };
    let (credential, key) = keys(&of).add(holder).map_err(|error| failed(&error))?;
    complain(&format!(
        "added key {} for {}. It is shown this once; callers send it as `Authorization: Bearer kl_..`",
        key.hash.id(),
        words(&key)
    ));
    print(&format!("{}\n", credential.show()));
    Ok(())
}

fn list(arguments: &KeyListArguments) -> Result<(), Exit> {
    let of = Whose::read(&arguments.of)?;
    let keys = keys(&of).list().map_err(|error| failed(&error))?;
    if keys.is_empty() {
        print("there are no keys; `keyloom key add` adds one\n");
        return Ok(());
    }
    let mut lines = vec![["id", "role", "tenant", "subject", "made", "revoked"].map(str::to_owned)];
    lines.extend(keys.iter().map(|key| {
        let tenant = key.holder.tenant.clone().unwrap_or_else(|| "-".to_owned());
        let revoked = key.revoked_us.map_or_else(|| "-".to_owned(), moment);
        let Holder { subject, role, .. } = &key.holder;
        [key.hash.id(), role.name().to_owned(), tenant, subject.clone(), moment(key.made_us), revoked]
    }));
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    for line in &lines {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        print(&format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end()));
    }
    Ok(())
}

fn revoke(arguments: &KeyRevokeArguments) -> Result<(), Exit> {
    let of = Whose::read(&arguments.of)?;
    let wait = |time: std::time::Duration| {
        complain(&format!("revoked; waiting {} s until every process that serves it knows", time.as_secs()));
    };
    match keys(&of).revoke(&arguments.id, wait).map_err(|error| failed(&error))? {
        Some(key) => {
            let when = key.revoked_us.map(moment).unwrap_or_default();
            print(&format!("key {} for {} is good for nothing since {when}\n", key.hash.id(), words(&key)));
            Ok(())
        }
        None => {
            complain(&format!("there is no key `{}`; `keyloom key list` has their ids", arguments.id));
            Err(Exit::BadInput)
        }
    }
}

fn keys(of: &Whose) -> KeysOf<'_> {
    let data = of.engine.as_ref().map_or(KeyData::Folder(&of.folder), KeyData::Engine);
    KeysOf { catalog: &of.catalog, layout: of.layout.as_ref(), data }
}

fn words(key: &Key) -> String {
    let Holder { subject, role, tenant } = &key.holder;
    match tenant {
        Some(tenant) => format!("{subject}, {} of {tenant}", role.name()),
        None => format!("{subject}, {}", role.name()),
    }
}

fn moment(us: i64) -> String {
    to_text(&Value::Timestamp(us.div_euclid(1_000)), &Kind::Timestamp { micros: false }).unwrap_or_default()
}

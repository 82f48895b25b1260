//! Looks up names: within a unit, in what it imports, in its package.

use std::collections::HashMap;

use super::{Linker, family};
use crate::Language;
use crate::shape::Import;
use crate::unit::{Declaration, Unit};
use crate::value::{Kind, Name};

/// All declarations by their names.
pub(super) struct Names<'u>(HashMap<&'u str, Vec<(usize, usize)>>);

impl<'u> Names<'u> {
    pub fn of(units: &'u [Unit]) -> Self {
        let mut names: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for (unit, found) in units.iter().enumerate() {
            for (index, declaration) in found.declarations.iter().enumerate() {
                names.entry(&declaration.name).or_default().push((unit, index));
            }
        }
        Self(names)
    }
}

impl Linker<'_> {
    /// The declarations that a name may mean: none, one, or several of one place (a field that is assigned twice).
    pub(super) fn lookup(&self, unit: usize, name: &Name) -> Vec<(usize, usize)> {
        match name.path.as_slice() {
            [] => Vec::new(),
            [only] => self.plain(unit, name, only),
            [.., container, last] => self.qualified(unit, name, container, last),
        }
    }

    fn candidates(&self, unit: usize, name: &Name, wanted: &str) -> Vec<(usize, usize)> {
        let language = self.units[unit].language;
        let all = self.names.0.get(wanted).map(Vec::as_slice).unwrap_or_default();
        let fits = |&&(at, index): &&(usize, usize)| {
            let declaration = self.declaration(at, index);
            family(self.units[at].language) == family(language)
                && (declaration.function == name.call
                    || matches!(language, Language::Scala | Language::Kotlin | Language::Ruby | Language::Haskell))
        };
        all.iter().filter(fits).copied().collect()
    }

    fn declaration(&self, unit: usize, index: usize) -> &Declaration {
        &self.units[unit].declarations[index]
    }

    fn plain(&self, unit: usize, name: &Name, wanted: &str) -> Vec<(usize, usize)> {
        let all = self.candidates(unit, name, wanted);
        let here: Vec<(usize, usize)> = all.iter().filter(|(at, _)| *at == unit).copied().collect();
        for depth in (0..=name.from.len()).rev() {
            let inside =
                |&(at, index): &(usize, usize)| self.declaration(at, index).container[..] == name.from[..depth];
            let found: Vec<_> = here.iter().copied().filter(inside).collect();
            if !found.is_empty() {
                return found;
            }
        }
        for import in &self.units[unit].imports {
            let found = match &import.name {
                Some(real) if import.local == wanted => {
                    let all = if real == wanted { all.clone() } else { self.candidates(unit, name, real) };
                    self.of_module(&all, import, &import.path)
                }
                None if import.local == "*" => self.of_module(&all, import, &import.path),
                _ => continue,
            };
            if !found.is_empty() {
                return found;
            }
        }
        let bases: Vec<&str> = self.bases(unit, name);
        let inherited = all.iter().copied().filter(|&(at, index)| {
            let container = self.declaration(at, index).container.last();
            container.is_some_and(|container| bases.contains(&container.as_str()))
        });
        let inherited = one_unit(inherited.collect());
        if !inherited.is_empty() {
            return inherited;
        }
        if !here.is_empty() {
            return here;
        }
        self.of_package(unit, &all)
    }

    fn bases(&self, unit: usize, name: &Name) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let mut pending: Vec<&str> = name.from.iter().map(String::as_str).collect();
        while let Some(class) = pending.pop() {
            for (_, base) in self.units[unit].bases.iter().filter(|(name, _)| name == class) {
                if !found.contains(&base.as_str()) && found.len() < 8 {
                    found.push(base);
                    pending.push(base);
                }
            }
        }
        found
    }

    /// Top-level declarations of the same package, in the same folder.
    fn of_package(&self, unit: usize, all: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let this = &self.units[unit];
        let same = |&(at, index): &(usize, usize)| {
            let other = &self.units[at];
            let is_open = self.declaration(at, index).container.is_empty();
            is_open
                && !other.package.is_empty()
                && other.package == this.package
                && folder(&other.name) == folder(&this.name)
        };
        one_unit(all.iter().copied().filter(same).collect())
    }

    fn qualified(&self, unit: usize, name: &Name, container: &str, last: &str) -> Vec<(usize, usize)> {
        let all = self.candidates(unit, name, last);
        let inside = |&(at, index): &(usize, usize)| {
            self.declaration(at, index).container.last().is_some_and(|name| name == container)
        };
        let found: Vec<_> = all.iter().copied().filter(inside).collect();
        let here: Vec<_> = found.iter().copied().filter(|(at, _)| *at == unit).collect();
        if !here.is_empty() {
            return here;
        }
        let imports = self.units[unit].imports.iter().filter(|import| import.local == container);
        for import in imports {
            let module = import.name.as_deref().unwrap_or(&import.path);
            // A class of another file, or the file itself.
            let whole = format!("{}.{module}", import.path);
            for found in [self.of_module(&found, import, &whole), self.of_module(&all, import, &import.path)] {
                if !found.is_empty() {
                    return found;
                }
            }
            if let Some(name) = &import.name {
                let found = self.of_module(&all, import, &format!("{}/{name}", import.path));
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let same = found.iter().copied().filter(|(at, _)| self.units[*at].package == self.units[unit].package);
        let same = one_unit(same.collect());
        if !same.is_empty() {
            return same;
        }
        let found = one_unit(found);
        if !found.is_empty() {
            return found;
        }
        // A constant that is an object: its field is looked up in its value.
        let object = Name { path: vec![container.to_owned()], call: false, ..name.clone() };
        let object = self.plain(unit, &object, container);
        let is_record =
            |&(at, index): &(usize, usize)| matches!(self.declaration(at, index).value.kind, Kind::Record(_));
        object.into_iter().filter(is_record).collect()
    }

    /// Those of a module: a class, a package, a file.
    fn of_module(&self, all: &[(usize, usize)], _import: &Import, path: &str) -> Vec<(usize, usize)> {
        let segment = path.trim_end_matches(".js").rsplit(['.', '/']).find(|part| !part.is_empty()).unwrap_or(path);
        let fits = |&(at, index): &(usize, usize)| {
            let unit = &self.units[at];
            let declaration = self.declaration(at, index);
            match declaration.container.last() {
                Some(container) => container == segment,
                None => {
                    let package = unit.package.rsplit('.').next().unwrap_or("");
                    stem(&unit.name) == segment
                        || !package.is_empty() && package == segment && path.ends_with(folder_name(&unit.name))
                        || unit.package == path
                        || matches!(stem(&unit.name), "index" | "__init__" | "mod")
                            && folder_name(&unit.name) == segment
                }
            }
        };
        one_unit(all.iter().copied().filter(fits).collect())
    }
}

/// Those of one unit; of several units none, for which of them is meant is not known.
fn one_unit(found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let first = found.first().map(|(unit, _)| *unit);
    if found.iter().all(|(unit, _)| Some(*unit) == first) { found } else { Vec::new() }
}

fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn folder_name(name: &str) -> &str {
    let folder = folder(name);
    folder.rsplit('/').next().unwrap_or(folder)
}

fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().unwrap_or(file)
}

//! Prices of DynamoDB, dated, by region; also out of a file of the user's own.
//!
//! ```
//! use keyloom_facts::{Dollars, Prices};
//!
//! let ireland = Prices::of("eu-west-1").expect("its prices are known");
//! assert_eq!(ireland.on_demand.write_million, Dollars::from_nanos(705_000_000));
//! assert!(Prices::of("mars-north-1").is_none());
//! ```

use std::{fmt, sync::LazyLock};

use keyloom_model::Date;
use toml::de::{DeTable, DeValue};

use crate::parse::Entry;

/// The prices of one region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    /// `eu-west-1`
    pub region: String,
    /// What requests cost on demand.
    pub on_demand: OnDemand,
    /// What provisioned capacity costs; `None` where it is not known.
    pub provisioned: Option<Provisioned>,
    /// What storage costs.
    pub storage: Storage,
    /// The document that states it.
    pub source: String,
    /// The day on which it was read there.
    pub date: Date,
}

/// Requests on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnDemand {
    /// A million read request units.
    pub read_million: Dollars,
    /// A million write request units.
    pub write_million: Dollars,
}

/// Provisioned capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provisioned {
    /// A read capacity unit for an hour.
    pub read_unit_hour: Dollars,
    /// A write capacity unit for an hour.
    pub write_unit_hour: Dollars,
    /// So many unit-hours a month are free of each, over all tables of an account in the region.
    pub free_unit_hours: u64,
}

/// Storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// A GB for a month.
    pub gigabyte_month: Dollars,
    /// So many GB are free, over all tables of an account in the region.
    pub free_gigabytes: u64,
}

/// An amount of money, in billionths of a dollar: exact, as prices are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dollars(u64);

/// Digits behind the point that are kept.
const PLACES: usize = 9;

/// No price of a unit is as high: whoever writes more has mistaken the unit.
const DOLLARS_MAX: u64 = 1_000_000;

impl Dollars {
    /// So many billionths of a dollar.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// In billionths of a dollar.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Reads `0.625`: digits, and up to nine behind a point.
    fn parse(text: &str) -> Result<Self, String> {
        let (whole, behind) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(whole) || !are_digits(behind) {
            return Err("no amount of dollars such as \"0.625\"".to_owned());
        }
        if behind.len() > PLACES {
            return Err(format!("finer than {PLACES} digits behind the point"));
        }
        let nanos: u64 = format!("{behind:0<PLACES$}").parse().unwrap_or_default();
        match whole.parse::<u64>() {
            Ok(whole) if whole < DOLLARS_MAX => Ok(Self(whole * 1_000_000_000 + nanos)),
            _ => Err("a million dollars or more for a unit".to_owned()),
        }
    }
}

impl fmt::Display for Dollars {
    /// At least cents, and as many digits as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behind = format!("{:09}", self.0 % 1_000_000_000);
        let behind = behind.trim_end_matches('0');
        write!(f, "${}.{behind:0<2}", self.0 / 1_000_000_000)
    }
}

impl Prices {
    /// The prices of a region, if they are known.
    pub fn of(region: &str) -> Option<&'static Self> {
        Self::known().iter().find(|prices| prices.region == region)
    }

    /// All prices that are known, in the order of the data file.
    pub fn known() -> &'static [Self] {
        static PRICES: LazyLock<Vec<Prices>> = LazyLock::new(|| {
            // The data is part of the program, and a test reads all of it.
            Prices::read(DATA).unwrap_or_else(|error| panic!("the prices are malformed: {error}"))
        });
        &PRICES
    }

    /// Reads a file of prices, in the form of `data/dynamodb-prices.toml`; `checked` may be left out.
    ///
    /// # Errors
    /// What is wrong with it, for whoever has written it.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
        let file = DeTable::parse(text).map_err(|error| error.to_string())?;
        let file = Entry { name: "the file", table: file.get_ref() };
        file.expect_keys(&["checked", "region"])?;
        let entries = file.value("region")?.as_array().ok_or("`region` is no list of tables")?;
        let mut all: Vec<Self> = Vec::with_capacity(entries.len());
        for entry in entries {
            let prices = region(entry.get_ref())?;
            if all.iter().any(|known| known.region == prices.region) {
                return Err(format!("the region {} is there twice", prices.region));
            }
            all.push(prices);
        }
        if all.is_empty() { Err("the file has no region".to_owned()) } else { Ok(all) }
    }
}

const DATA: &str = include_str!("../data/dynamodb-prices.toml");

fn region(entry: &DeValue<'_>) -> Result<Prices, String> {
    let table = entry.as_table().ok_or("an entry of `region` is no table")?;
    let name = Entry { name: "a region", table }.text("name")?;
    let entry = Entry { name: &name, table };
    entry.expect_keys(&["name", "on_demand", "provisioned", "storage", "source", "date"])?;
    let on_demand = part(&entry, "on_demand", &["read_million", "write_million"], |part| {
        Ok(OnDemand { read_million: dollars(part, "read_million")?, write_million: dollars(part, "write_million")? })
    })?;
    let keys = ["read_unit_hour", "write_unit_hour", "free_unit_hours"];
    let provisioned = match table.contains_key("provisioned") {
        true => Some(part(&entry, "provisioned", &keys, |part| {
            Ok(Provisioned {
                read_unit_hour: dollars(part, "read_unit_hour")?,
                write_unit_hour: dollars(part, "write_unit_hour")?,
                free_unit_hours: free(part, "free_unit_hours")?,
            })
        })?),
        false => None,
    };
    let storage = part(&entry, "storage", &["gigabyte_month", "free_gigabytes"], |part| {
        Ok(Storage { gigabyte_month: dollars(part, "gigabyte_month")?, free_gigabytes: free(part, "free_gigabytes")? })
    })?;
    let (source, date) = (entry.text("source")?, entry.day("date")?);
    Ok(Prices { on_demand, provisioned, storage, source, date, region: name })
}

/// Reads a table within an entry.
fn part<T>(
    entry: &Entry<'_>,
    key: &str,
    keys: &[&str],
    read: impl FnOnce(&Entry<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let table = entry.value(key)?.as_table().ok_or_else(|| entry.wrong(key, "no table"))?;
    let name = format!("{} of {}", key, entry.name);
    let part = Entry { name: &name, table };
    part.expect_keys(keys)?;
    read(&part)
}

fn dollars(entry: &Entry<'_>, key: &str) -> Result<Dollars, String> {
    // A number of TOML with a point is binary, and 0.1 is none; so amounts are texts.
    let text = entry.value(key)?.as_str().ok_or_else(|| entry.wrong(key, "no text such as \"0.625\""))?;
    Dollars::parse(text).map_err(|what| entry.wrong(key, &what))
}

/// What is free may be left out, and is nothing then.
fn free(entry: &Entry<'_>, key: &str) -> Result<u64, String> {
    if !entry.table.contains_key(key) {
        return Ok(0);
    }
    let number = entry.value(key)?.as_integer();
    let number = number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
    number.ok_or_else(|| entry.wrong(key, "no whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
[[region]]
name = "eu-west-1"
on_demand = { read_million = "0.1415", write_million = "0.705" }
provisioned = { read_unit_hour = "0.000147", write_unit_hour = "0.000735", free_unit_hours = 18_600 }
storage = { gigabyte_month = "0.283", free_gigabytes = 25 }
source = "our contract"
date = 2026-10-01
"#;

    fn complaint(from: &str, to: &str) -> String {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "`{from}` is not in the good file");
        Prices::read(&text).map(|_| ()).unwrap_err()
    }

    #[test]
    fn the_data_file_is_well_formed_and_has_addresses() {
        let regions: Vec<&str> = Prices::known().iter().map(|prices| prices.region.as_str()).collect();
        assert_eq!(regions, ["us-east-1", "eu-central-1", "eu-west-1"]);
        for prices in Prices::known() {
            assert!(prices.source.contains("https://"), "{}", prices.source);
            // A write costs five reads, but for the rounding of the region's factor.
            let OnDemand { read_million, write_million } = prices.on_demand;
            assert!(write_million.nanos().abs_diff(5 * read_million.nanos()) * 100 < write_million.nanos());
        }
        let text = Entry { name: "the file", table: DeTable::parse(DATA).unwrap().get_ref() }.day("checked");
        let checked = text.unwrap();
        assert!(Prices::known().iter().all(|prices| prices.date <= checked && prices.date.months_until(checked) < 12));
    }

    #[test]
    fn a_file_of_the_users_own_is_read() {
        let read = Prices::read(GOOD).unwrap();
        assert_eq!(read[0].on_demand.read_million, Dollars::from_nanos(141_500_000));
        assert_eq!(read[0].provisioned.unwrap().read_unit_hour, Dollars::from_nanos(147_000));
        assert_eq!(read[0].storage, Storage { gigabyte_month: Dollars::from_nanos(283_000_000), free_gigabytes: 25 });
        for nothing in ["", ", free_gigabytes = 0"] {
            let read = Prices::read(&GOOD.replace(", free_gigabytes = 25", nothing)).unwrap();
            assert_eq!(read[0].storage.free_gigabytes, 0);
        }
        let provisioned = GOOD.lines().find(|line| line.starts_with("provisioned")).unwrap();
        assert_eq!(Prices::read(&GOOD.replace(provisioned, "")).unwrap()[0].provisioned, None);
    }

    #[test]
    fn slips_of_the_pen_are_named() {
        let read = "`read_million` of on_demand of eu-west-1 is";
        let no_amount = format!("{read} no amount of dollars such as \"0.625\"");
        for wrong in ["-0.1", "+0.1", "", ".", "1.", ".5", "1e3", "0.1.5", "$0.1", "0,1", " 0.1", "١"] {
            assert_eq!(complaint("\"0.1415\"", &format!("\"{wrong}\"")), no_amount, "{wrong}");
        }
        assert_eq!(complaint("\"0.1415\"", "0.1415"), format!("{read} no text such as \"0.625\""));
        assert_eq!(complaint("0.1415", "0.0000000001"), format!("{read} finer than 9 digits behind the point"));
        for huge in ["1000000", "99999999999999999999999999", "1000000.0"] {
            assert_eq!(complaint("0.1415", huge), format!("{read} a million dollars or more for a unit"));
        }
        assert_eq!(complaint("read_million", "reads"), "on_demand of eu-west-1 has an unknown key `reads`");
        assert_eq!(complaint("source =", "sauce ="), "eu-west-1 has an unknown key `sauce`");
        assert_eq!(complaint("[[region]]", "colour = 1\n[[region]]"), "the file has an unknown key `colour`");
        for wrong in ["-25", "2.5", "\"25\"", "99999999999999999999"] {
            let words = "`free_gigabytes` of storage of eu-west-1 is no whole number";
            assert_eq!(complaint("= 25", &format!("= {wrong}")), words);
        }
        assert_eq!(complaint("2026-10-01", "\"today\""), "`date` of eu-west-1 is no date");
        assert_eq!(complaint("name = \"eu-west-1\"", ""), "a region has no `name`");
        assert_eq!(complaint("[[region]]", "[region]"), "`region` is no list of tables");
        assert_eq!(Prices::read("").unwrap_err(), "the file has no `region`");
        assert_eq!(Prices::read("region = []").unwrap_err(), "the file has no region");
        assert_eq!(Prices::read("region = [1]").unwrap_err(), "an entry of `region` is no table");
        assert_eq!(Prices::read(&GOOD.repeat(2)).unwrap_err(), "the region eu-west-1 is there twice");
        assert!(Prices::read("\u{0}\u{1}garbage").is_err() && Prices::read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn dollars_are_shown_as_written() {
        let shown =
            ["0.625", "0.00013", "0.25", "12", "0.1", "999999.000000001"].map(|text| Dollars::parse(text).unwrap());
        let shown = shown.map(|dollars| dollars.to_string());
        assert_eq!(shown, ["$0.625", "$0.00013", "$0.25", "$12.00", "$0.10", "$999999.000000001"]);
    }
}

//! The same catalog with other numbers.

use std::fmt;

use keyloom_model::{Catalog, Frequency, Pattern, Rate, Share, Skew};

use crate::quantity::share;

/// A change of a catalog's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhatIf {
    /// `busiest tenant x100`: its rows, its growth and its calls; the others stay.
    BusiestTenant(Factor),
    /// `PATTERN.rate x5`
    Rate(String, Factor),
    /// `Task.assignee_id.worst x10`: the worst group by these fields.
    Worst {
        /// The entity.
        entity: String,
        /// The fields, or none for `all`.
        by: Vec<String>,
        /// How much larger.
        factor: Factor,
    },
    /// `scenario NAME`, as the catalog states it.
    Scenario(String),
}

/// A factor, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor(u64);

/// No factor is larger: whoever writes more has mistaken it.
const FACTOR_MAX: u64 = 1_000_000;

impl Factor {
    /// Reads `x100` or `x1.5`.
    fn parse(text: &str) -> Option<Self> {
        let (whole, behind) = text.strip_prefix('x')?.split_once('.').unwrap_or((&text[1..], "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(behind) || behind.len() > 3 {
            return None;
        }
        let whole = whole.parse::<u64>().ok().filter(|whole| *whole <= FACTOR_MAX)?;
        let thousandths = whole * 1_000 + format!("{behind:0<3}").parse::<u64>().ok()?;
        (thousandths > 0).then_some(Self(thousandths))
    }

    fn of(self, number: u64) -> u64 {
        let scaled = share(number.into(), self.0.into(), 1_000);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

impl WhatIf {
    /// Reads a change.
    ///
    /// # Errors
    /// With how it is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || "write `busiest tenant x100`, `PATTERN.rate x5`, `ENTITY.FIELD.worst x10` or `scenario NAME`".to_owned();
        let text = text.trim();
        if let Some(name) = text.strip_prefix("scenario ") {
            return Ok(Self::Scenario(name.trim().to_owned()));
        }
        let (what, factor) = text.rsplit_once(' ').ok_or_else(wrong)?;
        let factor = Factor::parse(factor).ok_or_else(wrong)?;
        let what = what.trim();
        if what == "busiest tenant" {
            return Ok(Self::BusiestTenant(factor));
        }
        if let Some(pattern) = what.strip_suffix(".rate") {
            return Ok(Self::Rate(pattern.to_owned(), factor));
        }
        let group = what.strip_suffix(".worst").and_then(|group| group.split_once('.'));
        let (entity, fields) = group.ok_or_else(wrong)?;
        let fields = fields.trim_start_matches('[').trim_end_matches(']');
        let by = fields.split(',').map(|field| field.trim().to_owned()).filter(|field| field != "all").collect();
        Ok(Self::Worst { entity: entity.to_owned(), by, factor })
    }

    /// What is assumed about it, where the catalog leaves that open.
    pub fn assumes(&self) -> Option<&'static str> {
        match self {
            Self::BusiestTenant(_) => Some(
                "the busiest tenant's groups become more, not larger, and the busiest group of a pattern is one of its own",
            ),
            Self::Rate(..) | Self::Worst { .. } | Self::Scenario(_) => None,
        }
    }

    /// The catalog with that change.
    ///
    /// # Errors
    /// When the catalog has nothing of that name, or does not state what would be changed.
    pub fn apply(&self, catalog: &Catalog) -> Result<Catalog, String> {
        let mut changed = catalog.clone();
        match self {
            Self::BusiestTenant(factor) => busiest_tenant(&mut changed, *factor)?,
            Self::Rate(name, factor) => {
                let known = catalog.patterns.iter().map(|pattern| pattern.name.as_str());
                let pattern = changed.patterns.iter_mut().find(|pattern| pattern.name == *name);
                let pattern = pattern.ok_or_else(|| unknown("pattern", name, known))?;
                if pattern.rate == Frequency::Unknown {
                    return Err(format!("the rate of `{name}` is not stated"));
                }
                faster(pattern, *factor);
            }
            Self::Worst { entity, by, factor } => {
                let known = catalog.entities.iter().map(|entity| entity.name.as_str());
                let of = changed.entities.iter_mut().find(|known| known.name == *entity);
                let of = of.ok_or_else(|| unknown("entity", entity, known))?;
                let mut found = false;
                for group in of.groups.iter_mut().filter(|group| group.by == *by) {
                    group.rows.worst = group.rows.worst.map(|worst| factor.of(worst));
                    found |= group.rows.worst.is_some();
                }
                if !found {
                    let by = if by.is_empty() { "all".to_owned() } else { by.join(", ") };
                    return Err(format!("the worst group by {by} of `{entity}` is not stated"));
                }
            }
            Self::Scenario(name) => {
                let known = catalog.scenarios.iter().map(|scenario| scenario.name.as_str());
                let scenario = catalog.scenarios.iter().find(|scenario| scenario.name == *name);
                let scenario = scenario.ok_or_else(|| unknown("scenario", name, known))?;
                for (pattern, thousandths) in &scenario.factors {
                    if let Some(pattern) = changed.patterns.iter_mut().find(|known| known.name == *pattern) {
                        faster(pattern, Factor(*thousandths));
                    }
                }
            }
        }
        Ok(changed)
    }
}

/// As it is written.
impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BusiestTenant(factor) => write!(f, "busiest tenant {factor}"),
            Self::Rate(pattern, factor) => write!(f, "{pattern}.rate {factor}"),
            Self::Worst { entity, by, factor } => match by.as_slice() {
                [] => write!(f, "{entity}.all.worst {factor}"),
                [field] => write!(f, "{entity}.{field}.worst {factor}"),
                fields => write!(f, "{entity}.[{}].worst {factor}", fields.join(", ")),
            },
            Self::Scenario(name) => write!(f, "scenario {name}"),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behind = format!("{:03}", self.0 % 1_000);
        let behind = behind.trim_end_matches('0');
        write!(f, "x{}{}{behind}", self.0 / 1_000, if behind.is_empty() { "" } else { "." })
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match known.is_empty() {
        true => format!("there is no {what} `{name}`, and no other"),
        false => format!("there is no {what} `{name}`; there are: {}", known.join(", ")),
    }
}

/// One tenant grows, the others stay. Its groups become more, not larger; the busiest group is one of its own.
fn busiest_tenant(catalog: &mut Catalog, factor: Factor) -> Result<(), String> {
    let tenant = catalog.tenant.as_mut().ok_or("the catalog has no tenants")?;
    let busiest = tenant.busiest.ok_or("the catalog does not state the share of the busiest tenant: tenant.busiest")?;
    const ALL: u128 = 1_000_000;
    let (own, others) = (u128::from(busiest.millionths), ALL.saturating_sub(busiest.millionths.into()));
    let grown = share(own, factor.0.into(), 1_000);
    // Of all that there was, there is so much now, in millionths.
    let all = others.saturating_add(grown).max(1);
    let millionths = |part: u128| u32::try_from(part.min(ALL)).unwrap_or(1_000_000);
    let whole = |number: u64| u64::try_from(share(number.into(), all, ALL)).unwrap_or(u64::MAX);
    tenant.busiest = Some(Share { millionths: millionths(share(grown, ALL, all)) });
    for entity in catalog.entities.iter_mut().filter(|entity| entity.per_tenant) {
        if let Some(volume) = &mut entity.volume {
            volume.rows = volume.rows.map(whole);
            volume.growth = volume.growth.map(|growth| scaled(growth, all, ALL));
        }
    }
    for pattern in catalog.patterns.iter_mut().filter(|pattern| !pattern.all_tenants) {
        rate(pattern, |rate| scaled(rate, all, ALL));
        if let Some(Skew::Busiest(of)) = pattern.skew {
            let grown = share(of.millionths.into(), factor.0.into(), 1_000);
            pattern.skew = Some(Skew::Busiest(Share { millionths: millionths(share(grown, ALL, all)) }));
        }
    }
    Ok(())
}

fn faster(pattern: &mut Pattern, factor: Factor) {
    rate(pattern, |rate| scaled(rate, factor.0.into(), 1_000));
}

fn rate(pattern: &mut Pattern, change: impl Fn(Rate) -> Rate) {
    if let Frequency::Stated { mean, peak } = &mut pattern.rate {
        *mean = mean.map(&change);
        *peak = peak.map(&change);
    }
}

/// Exactly so many times as often, where that can be written: the span is widened rather than rounded.
fn scaled(rate: Rate, parts: u128, of: u128) -> Rate {
    let events = u128::from(rate.events).saturating_mul(parts);
    let amount = u128::from(rate.per.amount).saturating_mul(of);
    let divisor = gcd(events, amount).max(1);
    match (u64::try_from(events / divisor), u64::try_from(amount / divisor)) {
        (Ok(events), Ok(amount)) => Rate { events, per: keyloom_model::TimeSpan::new(amount, rate.per.unit) },
        _ => Rate { events: u64::try_from(share(rate.events.into(), parts, of)).unwrap_or(u64::MAX), per: rate.per },
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use keyloom_model::{Tenant, TimeSpan, TimeUnit, Type};

    use super::*;

    #[test]
    fn changes_are_read_as_they_are_written() {
        assert_eq!(WhatIf::parse("busiest tenant x100"), Ok(WhatIf::BusiestTenant(Factor(100_000))));
        assert_eq!(WhatIf::parse("open_case.rate x1.5"), Ok(WhatIf::Rate("open_case".into(), Factor(1_500))));
        let worst = |by: &[&str]| WhatIf::Worst {
            entity: "Task".into(),
            by: by.iter().map(|&field| field.into()).collect(),
            factor: Factor(10_000),
        };
        assert_eq!(WhatIf::parse("Task.assignee_id.worst x10"), Ok(worst(&["assignee_id"])));
        assert_eq!(WhatIf::parse("Task.[a, b].worst x10"), Ok(worst(&["a", "b"])));
        assert_eq!(WhatIf::parse("Task.all.worst x10"), Ok(worst(&[])));
        assert_eq!(WhatIf::parse("scenario night"), Ok(WhatIf::Scenario("night".into())));
        for text in ["busiest tenant x100", "a.rate x1.5", "Task.a.worst x10", "Task.[a, b].worst x2", "T.all.worst x2"]
        {
            assert_eq!(WhatIf::parse(text).map(|change| change.to_string()), Ok(text.to_owned()));
        }
        for wrong in [
            "",
            "x",
            "x5",
            "a.rate",
            "a.rate 5",
            "a.rate x",
            "a.rate x0",
            "a.rate x-1",
            "a.rate x1e9",
            "a x5",
            "é.rate ẋ5",
        ] {
            assert!(WhatIf::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_busier_tenant_leaves_the_others_as_they_were() {
        let tenant = |millionths| Tenant {
            field: "tenant_id".into(),
            ty: Type::Uuid,
            count: Some(10),
            busiest: Some(Share { millionths }),
        };
        let catalog = Catalog { tenant: Some(tenant(400_000)), ..Catalog::default() };
        let grown = WhatIf::BusiestTenant(Factor(100_000)).apply(&catalog).unwrap();
        // 40 of 100 become 4,000 of 4,060.
        assert_eq!(grown.tenant.unwrap().busiest, Some(Share { millionths: 985_221 }));
        assert!(WhatIf::BusiestTenant(Factor(2_000)).apply(&Catalog::default()).is_err());
    }

    #[test]
    fn rates_are_not_rounded() {
        let rate = Rate { events: 3, per: TimeSpan::new(1, TimeUnit::Second) };
        let half = scaled(rate, 500, 1_000);
        assert_eq!((half.events, half.per.amount), (3, 2));
        assert_eq!(scaled(rate, u128::MAX, 1).events, u64::MAX);
    }
}

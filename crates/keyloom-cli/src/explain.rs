use keyloom::check::{all_rules, rule};

use crate::Exit;
use crate::arguments::ExplainArguments;
use crate::output::{complain, print};

/// Prints the page of a rule, or the list of all.
pub(crate) fn run(arguments: &ExplainArguments) -> Exit {
    let Some(name) = &arguments.rule else {
        let rules = all_rules();
        let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
        let lines =
            rules.into_iter().map(|rule| format!("{:<width$} {:<8} {}\n", rule.name, rule.level.name(), rule.summary));
        print(&lines.collect::<String>());
        return Exit::Fine;
    };
    match rule(name) {
        Some(rule) => {
            print(rule.page);
            Exit::Fine
        }
        None => {
            let nearest = keyloom::check::nearest_rule(name).map(|nearest| format!(": did you mean `{nearest}`?"));
            complain(&format!(
                "there is no rule `{name}`{}",
                nearest.unwrap_or_else(|| "; `keyloom explain` lists all".to_owned())
            ));
            Exit::BadInput
        }
    }
}

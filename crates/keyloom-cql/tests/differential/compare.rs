//! Ours against the server's, statement by statement.

use keyloom_engines::{announce, available, say};

use crate::{
    ENGINE, SUITE,
    coverage::Coverage,
    disagreement::Disagreements,
    generate::{Case, Random, World, statement},
    judge::Judge,
    oracle::{Answer, Oracle},
};

#[test]
fn verdicts_are_those_of_the_server() {
    let Some((coverage, disagreements)) = run(5_000, 250) else { return };
    println!("{}", coverage.render());
    disagreements.assert_none();
}

/// `KEYLOOM_CASES=200000 cargo test --release -p keyloom-cql --test differential -- --ignored cover --nocapture`
#[test]
#[ignore = "takes minutes; run by hand"]
fn many_verdicts_cover_everything() {
    let Some((coverage, disagreements)) = run(number("KEYLOOM_CASES").unwrap_or(200_000), 500) else { return };
    println!("{}", coverage.render());
    disagreements.assert_none();
    let gaps = coverage.gaps();
    assert!(gaps.is_empty(), "met too seldom:\n{}", gaps.join("\n"));
}

/// Asks about `count` cases or some more, `together` of them about one schema, which costs the server about a second to
/// make. `KEYLOOM_SEED` gives others than usual.
fn run(count: usize, together: usize) -> Option<(Coverage, Disagreements)> {
    let seed = number("KEYLOOM_SEED").unwrap_or(1);
    say(&format!("differential test: KEYLOOM_SEED={seed}\n"));
    let mut oracle = available(SUITE, ENGINE, Oracle::start())?;
    let mut coverage = Coverage::default();
    let mut disagreements = Disagreements::default();
    let worlds = count.div_ceil(together);
    for number in 0..worlds {
        let mut random = Random::new((seed as u64) << 32 | number as u64);
        let world = World::new(&mut random);
        let (ddl, judge) = make(&mut oracle, &world, &mut disagreements);
        let cases: Vec<Case> = (0..together).map(|_| statement(&world, &mut random)).collect();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        for (case, answer) in cases.iter().zip(oracle.prepare(&texts)) {
            coverage.learn(case, &answer);
            disagreements.learn(&ddl, &case.text, &answer, &judge.judge(&case.text));
        }
    }
    announce(SUITE, ENGINE, worlds * together, 0);
    Some((coverage, disagreements))
}

/// Makes a world on the server and beside it; what the server took of it. Indexes and views are also asked for where
/// there can be none.
fn make(oracle: &mut Oracle, world: &World, disagreements: &mut Disagreements) -> (Vec<String>, Judge) {
    const KEYSPACE: &str = "ks";
    oracle.fresh_keyspace(KEYSPACE);
    let mut judge = Judge::new(KEYSPACE);
    let mut taken = Vec::new();
    for statement in &world.ddl {
        let answer = oracle.execute(statement);
        disagreements.learn(&taken, statement, &answer, &judge.foresee(statement));
        if answer == Answer::Legal {
            judge.follow(statement);
            taken.push(statement.clone());
        }
    }
    (taken, judge)
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}

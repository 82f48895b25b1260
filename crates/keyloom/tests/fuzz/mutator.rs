//! Makes inputs out of a corpus: the same seed gives the same inputs, one by one.

/// Small and good enough: SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 when there is none.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or(0)
    }

    fn among<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The longest input; longer ones have tests of their own.
const LENGTH_MAX: usize = 16 << 10;

/// A corpus and what is made of it.
pub struct Mutator {
    corpus: Vec<Vec<u8>>,
    words: &'static [&'static str],
    seed: u64,
}

impl Mutator {
    /// Words are put where they do not belong.
    pub fn new(corpus: Vec<Vec<u8>>, words: &'static [&'static str], seed: u64) -> Self {
        assert!(!corpus.is_empty(), "there is a corpus");
        Self { corpus, words, seed }
    }

    /// The input of that number. The first ones are the corpus itself.
    pub fn input(&self, number: u64) -> Vec<u8> {
        if let Some(whole) = usize::try_from(number).ok().and_then(|at| self.corpus.get(at)) {
            return whole.clone();
        }
        // Neighbouring numbers must not give neighbouring inputs.
        let mut random = Random::new(Random::new(self.seed ^ number).next());
        let mut input = self.pick(&mut random).to_vec();
        for _ in 0..1 + random.below(6) {
            self.mutate(&mut input, &mut random);
        }
        input.truncate(LENGTH_MAX);
        input
    }

    /// The shorter of two: short inputs run faster and break as well.
    fn pick(&self, random: &mut Random) -> &[u8] {
        let (one, other) = (random.among(&self.corpus), random.among(&self.corpus));
        if one.len() <= other.len() { one } else { other }
    }

    fn mutate(&self, input: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(input.len() + 1);
        match random.below(12) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random.next().to_le_bytes()[0];
                }
            }
            2..=5 => insert(input, at, random.among(self.words).as_bytes()),
            6 => {
                let range = stretch(input.len(), at, 24, random);
                input.splice(range, random.among(self.words).bytes());
            }
            7 => drop(input.drain(stretch(input.len(), at, 64, random))),
            8 => input.truncate(at),
            9 => {
                let again = input[stretch(input.len(), at, 200, random)].to_vec();
                for _ in 0..1 + random.below(4) {
                    insert(input, at, &again);
                }
            }
            10 => {
                // The head of one and the tail of another.
                let other = self.pick(random);
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let other = self.pick(random);
                let from = random.below(other.len() + 1);
                insert(input, at, &other[stretch(other.len(), from, 200, random)]);
            }
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

/// Some bytes from `at` on.
fn stretch(length: usize, at: usize, longest: usize, random: &mut Random) -> std::ops::Range<usize> {
    at..(at + random.below(longest)).min(length)
}

/// Which partitions take most, without a count for each: so many are counted, and a new one takes the place of the lightest
/// and starts from its weight (the space-saving algorithm of Metwally and others).
#[derive(Debug, Default)]
pub(crate) struct Heaviest {
    counted: Vec<Weighed>,
}

#[derive(Debug)]
struct Weighed {
    partition: Vec<u8>,
    weight: u64,
    /// So much of it may be others'.
    others: u64,
}

const COUNTED: usize = 64;

impl Heaviest {
    pub(crate) fn add(&mut self, partition: &[u8], weight: u64) {
        if let Some(known) = self.counted.iter_mut().find(|known| known.partition == partition) {
            known.weight += weight;
        } else if self.counted.len() < COUNTED {
            self.counted.push(Weighed { partition: partition.to_vec(), weight, others: 0 });
        } else if let Some(lightest) = self.counted.iter_mut().min_by_key(|known| known.weight) {
            let others = lightest.weight;
            *lightest = Weighed { partition: partition.to_vec(), weight: others + weight, others };
        }
    }

    /// What the heaviest took, at least.
    pub(crate) fn most(&self) -> u64 {
        self.counted.iter().map(|known| known.weight - known.others).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_is_found_among_many() {
        let mut heaviest = Heaviest::default();
        for number in 0..10_000_u64 {
            heaviest.add(&number.to_le_bytes(), 1);
            if number % 10 == 0 {
                heaviest.add(b"hot", 5);
            }
        }
        assert_eq!(heaviest.most(), 5_000);
    }
}

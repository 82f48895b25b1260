//! For how long a process may act on the layout that it knows.
//!
//! A term needs no row and nobody who grants it: it counts from the moment at which the record of the layout was asked for,
//! so whoever writes another one knows when the last process has ended that read it before. Nothing is sent behind
//! the end of a term; what a writer does not come to is finished by the mark that he left.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use keyloom_store::Fault;

use crate::{changing::LayoutRecord, environment::Environment, run::Run};

pub(crate) struct Term {
    /// By the clock that nobody sets, and by the other one: a machine that slept has not noticed it by the first.
    until_us: [AtomicI64; 2],
    environment: Arc<dyn Environment>,
}

impl Term {
    /// One without an end: nobody else can change the layout.
    pub(crate) fn endless(environment: Arc<dyn Environment>) -> Self {
        Self { until_us: [i64::MAX; 2].map(AtomicI64::new), environment }
    }

    /// Both clocks, now.
    fn now_us(&self) -> [i64; 2] {
        [self.environment.steady_us(), self.environment.now_us()]
    }

    /// It ends so long after this moment.
    fn renew(&self, sent_us: [i64; 2], term_ms: i64) {
        for (until_us, sent_us) in self.until_us.iter().zip(sent_us) {
            until_us.store(sent_us + term_ms * 1_000, Ordering::Relaxed);
        }
    }

    /// Whether something may be sent.
    ///
    /// # Errors
    /// When it is over.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let until_us = self.until_us.each_ref().map(|until_us| until_us.load(Ordering::Relaxed));
        if until_us[0] == i64::MAX || self.now_us().iter().zip(until_us).all(|(now_us, until_us)| *now_us < until_us) {
            return Ok(());
        }
        Err(Fault::NotDone("the layout could not be read for a while, and may have changed; nothing was done".into()))
    }
}

impl Run {
    /// From now on it acts for a term after each look at the record.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin_term(&self) -> Result<(), Fault> {
        self.store.term().renew(self.store.term().now_us(), 0);
        self.renew().await.map(drop)
    }

    /// Looks whether the layout is still the one that it acts on, and acts on it for another term then; else says which one
    /// runs now. To be called every few seconds.
    ///
    /// # Errors
    /// When the store fails. What is left of the term stays.
    pub async fn renew(&self) -> Result<Option<LayoutRecord>, Fault> {
        let sent_us = self.store.term().now_us();
        let stands = self.layout_record().await?;
        match stands {
            Some((_, record)) if record.epoch != self.epoch => Ok(Some(record)),
            _ => {
                self.store.term().renew(sent_us, self.protocol.term_ms);
                Ok(None)
            }
        }
    }
}

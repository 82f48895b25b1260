//! A connection whose client must read what it is sent: one that stops is cut off, or it would keep its place for ever.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::limits::READ_TIME;

/// Lets a client take all the time it wants, once it has shown that it may: `keyloom export | less` is read by a person.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unhurried(Arc<AtomicBool>);

impl Unhurried {
    pub(crate) fn allow(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A stream with a limit on how long nothing of it is read.
pub(crate) struct Patient<S> {
    stream: S,
    unhurried: Unhurried,
    /// Runs while something waits to be read.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, unhurried: Unhurried) -> Self {
        Self { stream, unhurried, waiting: None }
    }

    /// What became of a try to write: if it was in vain for too long, there will be no other.
    fn tried<T>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if tried.is_ready() || self.unhurried.0.load(Ordering::Relaxed) {
            self.waiting = None;
            return tried;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(READ_TIME)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.tried(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.tried(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.tried(context, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.tried(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, duplex},
        time::{Instant, timeout},
    };

    use super::{Patient, READ_TIME, Unhurried};

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_given_up() {
        let (mut client, server) = duplex(8);
        let mut server = Patient::new(server, Unhurried::default());
        let started = Instant::now();
        // Who reads slowly is waited for, however long it takes.
        let reader = tokio::spawn(async move {
            for _ in 0..3 {
                tokio::time::sleep(READ_TIME - Duration::from_secs(1)).await;
                client.read_exact(&mut [0; 8]).await.unwrap();
            }
            // It stays, and reads no more.
            tokio::time::sleep(READ_TIME * 10).await;
        });
        let error = server.write_all(&[7; 100]).await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed(), READ_TIME * 4 - Duration::from_secs(3));
        reader.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn who_may_take_time_is_waited_for() {
        let (_client, server) = duplex(8);
        let unhurried = Unhurried::default();
        let mut server = Patient::new(server, unhurried.clone());
        unhurried.allow();
        assert!(timeout(READ_TIME * 100, server.write_all(&[7; 100])).await.is_err(), "it still waits");
    }
}

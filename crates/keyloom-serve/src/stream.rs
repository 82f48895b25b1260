//! What a running process gives to the commands `backup` and `export`, as a stream.

use std::io::{self, Write};

use axum::{body::Body, response::Response};
use keyloom_embedded::Embedded;
use keyloom_run::{Export, Run};
use tokio::{runtime::Handle, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;

/// How many pieces may wait for the reader.
const PIECES: usize = 4;

/// A response whose body is written by a thread of its own; a fault cuts it off.
pub(crate) fn written(write: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static) -> Response {
    let (send, receive) = mpsc::channel(PIECES);
    tokio::task::spawn_blocking(move || {
        let mut pipe = Pipe { send };
        if let Err(error) = write(&mut pipe) {
            // The reader hears of it by the stream's end in the middle.
            let _ = pipe.send.blocking_send(Err(error));
        }
    });
    Response::new(Body::from_stream(ReceiverStream::new(receive)))
}

/// Everything in the store, as a backup.
pub(crate) fn backup(store: &Embedded, pipe: &mut impl Write) -> io::Result<()> {
    store.backup(&mut io::BufWriter::with_capacity(1 << 18, pipe), |_| {}).map(drop).map_err(io::Error::other)
}

/// Every row, as a line of JSON. The writer may block, so this is for a thread outside the runtime.
pub(crate) fn export(run: &Run, out: &mut dyn Write, runtime: &Handle) -> io::Result<()> {
    let mut export = Export::default();
    while let Some(rows) = runtime.block_on(export.next(run)).map_err(io::Error::other)? {
        let mut text = String::new();
        for row in &rows {
            text.push_str(&row.to_string());
            text.push('\n');
        }
        out.write_all(text.as_bytes())?;
    }
    out.flush()
}

/// A writer into a body.
pub(crate) struct Pipe {
    send: mpsc::Sender<io::Result<Vec<u8>>>,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.send.blocking_send(Ok(bytes.to_vec())).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

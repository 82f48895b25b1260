use crate::Exit;
use crate::output::print;

/// Prints the JSON Schema of the catalog language.
pub(crate) fn run() -> Exit {
    print(&keyloom::text::json_schema());
    Exit::Fine
}

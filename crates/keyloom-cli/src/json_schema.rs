use crate::Exit;
use crate::arguments::{JsonSchemaArguments, Language};
use crate::output::print;

/// Prints the JSON Schema of a language.
pub(crate) fn run(arguments: &JsonSchemaArguments) -> Exit {
    print(&match arguments.language {
        Language::Catalog => keyloom::text::json_schema(),
        Language::Layout => keyloom::text::layout_json_schema(),
    });
    Exit::Fine
}

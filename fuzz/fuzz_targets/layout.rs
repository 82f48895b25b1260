//! Target `layout` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| keyloom_fuzz::layout(bytes));

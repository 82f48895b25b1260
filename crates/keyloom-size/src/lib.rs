//! Rows, bytes, units and money of a program, now and later.

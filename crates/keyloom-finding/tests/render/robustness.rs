//! What programs read: JSON and GitHub's workflow commands.

"""spider-rs, a crawler in Rust, by its Node package."""

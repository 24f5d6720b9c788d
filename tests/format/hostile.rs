//! Whatever is stored or imported can be decoded, walked and formatted: nothing panics, loops or loses a byte.

//! Agent conversations that live in the browser and survive it.

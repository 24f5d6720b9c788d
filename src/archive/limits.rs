//! What an archive may cost before it is called hostile. Each number is far above what agents write.

/// An archive with more entries is refused while its directory is still being read: each entry costs memory, and a
/// conversation of 10,000 events, which is long, needs a twentieth of this.
pub const MAX_ENTRIES: usize = 200_000;

/// The longest entry accepted, in bytes. An entry is held in memory as a whole, a few times over while it is
/// checked and stored; the largest real ones are events with screenshots, of a few megabytes.
pub const MAX_ENTRY_BYTES: u64 = 128 << 20;

/// The most that an archive may unpack to, in bytes. Beyond this a browser's quota is the tighter limit anyway.
pub const MAX_TOTAL_BYTES: u64 = 8 << 30;

/// How many times its own size an archive may unpack to, once it is larger than [`RATIO_FREE_BYTES`]. Conversations
/// are packed five to thirty times; deflate ends at about 1030, which only bombs come near.
pub const MAX_RATIO: u64 = 500;

/// What may unpack to any multiple of its size, because it does no harm.
pub const RATIO_FREE_BYTES: u64 = 256 << 20;

/// The longest entry name accepted, in bytes: a stored path, the folder's name, and folders around it.
pub const MAX_NAME_BYTES: usize = 2048;

/// How deep `base_state.json` may be nested. Python's reader gives up at about 200.
pub const MAX_JSON_DEPTH: usize = 128;

/// The longest `base_state.json`, or other file that is searched for secrets, in bytes. The largest real ones have some
/// hundred kilobytes, and each is held a few times over.
pub const MAX_SEARCHED_BYTES: u64 = 16 << 20;

/// How much an import writes in one commit before the conversation becomes visible.
pub const BATCH_BYTES: u64 = 4 << 20;

/// How many events and files it writes in one commit.
pub const BATCH_ENTRIES: usize = 5000;

/// How large the pages are in which a stored log is read.
pub const PAGE_BYTES: usize = 1 << 20;

/// An import that continues a stored conversation is one commit up to this size, and so all or nothing.
pub const FAST_FORWARD_BYTES: u64 = 8 << 20;

/// How much an import unpacks at once.
pub const GROUP_BYTES: u64 = 1 << 20;

/// How many entries it unpacks at once.
pub const GROUP_ENTRIES: usize = 2000;

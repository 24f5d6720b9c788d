//! Limits for archives, against hostile ones. Each is far above the values of real conversations.

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

/// The unpacked size up to which any ratio is allowed, because it does no harm.
pub const RATIO_FREE_BYTES: u64 = 256 << 20;

/// The longest entry name accepted, in bytes: a stored path, the folder's name, and folders around it.
pub const MAX_NAME_BYTES: usize = 2048;

/// The deepest nesting accepted in `base_state.json`. Python's reader fails at about 200.
pub const MAX_JSON_DEPTH: usize = 128;

/// The longest `base_state.json`, or other file that is searched for secrets, in bytes. The largest real ones have some
/// hundred kilobytes, and each is held a few times over.
pub const MAX_SEARCHED_BYTES: u64 = 16 << 20;

/// The size of the commits that an import writes before the conversation becomes visible, in bytes.
pub const BATCH_BYTES: u64 = 4 << 20;

/// The highest number of events and files in such a commit.
pub const BATCH_ENTRIES: usize = 5000;

/// The approximate size of the pages in which a stored log is read, in bytes.
pub const PAGE_BYTES: usize = 1 << 20;

/// The size up to which the continuation of a stored conversation is one commit, and so all or nothing, in bytes.
pub const FAST_FORWARD_BYTES: u64 = 8 << 20;

/// How much an import unpacks at once, in bytes.
pub const GROUP_BYTES: u64 = 1 << 20;

/// How many entries it unpacks at once.
pub const GROUP_ENTRIES: usize = 2000;

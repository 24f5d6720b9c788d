//! Conversations.

mod turn;

//! Real OpenClaw releases read what clawctl wrote, and the other way round.

mod openclaw;

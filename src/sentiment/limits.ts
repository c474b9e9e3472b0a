/** Every threshold of the engine in one place, so that a reader can judge them. */

/** Characters of one message that are read: the beginning and the end, where people put their own words. */
export const READ_HEAD = 12_000;
export const READ_TAIL = 4_000;

export const WINDOW_MESSAGES = 20;
export const WINDOW_MS = 4 * 60 * 60 * 1000;

/** The reading loses half its confidence for each such span since the person last spoke. */
export const HALF_LIFE_MS = 2 * 60 * 60 * 1000;

/** Under this many words of prose a message says nothing by its words. */
export const MIN_WORDS = 2;

/** Below this confidence a state is called neutral and the strategy stays neutral. */
export const MIN_CONFIDENCE = 0.4;

/** A dimension is named as the emotion from here, as the secondary from the next. */
export const NAMED = 0.5;
export const NAMED_SECONDARY = 0.35;

/** Turns a trajectory needs, and the change of a half-session mean that counts as a move. */
export const TRAJECTORY_TURNS = 4;
export const TRAJECTORY_STEP = 0.02;

import type { Format } from '../event.ts';
import { claudeFormat } from './claude.ts';
import { codexFormat } from './codex.ts';
import { copilotFormat } from './copilot.ts';
import { droidFormat } from './droid.ts';
import { geminiFormat } from './gemini.ts';
import { messagesFormat } from './messages.ts';
import { piFormat } from './pi.ts';
import { qwenFormat } from './qwen.ts';

// Exported here only: this is a bundle of its own in the build, and formats are compared by identity.
export { messagesFormat, piFormat };

/**
 * All formats: how each is recognized, and what its rows say. They are tried in this order; the first that
 * recognizes a row is used.
 */
export const FORMATS: readonly Format[] = [
  ...[qwenFormat, claudeFormat, codexFormat, copilotFormat, droidFormat],
  ...[piFormat, geminiFormat, messagesFormat],
];

import type { Format } from '../format.ts';
import { claudeFormat } from './claude.ts';
import { codexFormat } from './codex.ts';
import { geminiFormat } from './gemini.ts';
import { messagesFormat } from './messages.ts';
import { openClawFormat } from './openclaw.ts';
import { piFormat } from './pi.ts';

// From here alone: in the build this is a bundle of its own, and a format is compared by what it is.
export { messagesFormat, piFormat };

/**
 * Everything that is read of a format is told by its row: how it is recognised, what its records say, which session
 * they are of, and where its files lie. Formats are asked in this order; the first that knows a record has it.
 */
export const FORMATS: readonly Format[] = [
  claudeFormat,
  codexFormat,
  piFormat,
  openClawFormat,
  geminiFormat,
  messagesFormat,
];

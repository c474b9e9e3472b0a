/**
 * Text that leaves the program: for a model, for a file that a model reads, or for a terminal. All output passes
 * through exactly one of the four functions in this table, once, where it is rendered; the others help to render it:
 *
 * | text | to a model or a file | to a terminal |
 * |---|---|---|
 * | from others, one line (transcript, memory, task, command output) | `sanitizeLine` | the same |
 * | from others, several lines | `sanitizeText` | the same |
 * | from the person or the agent (plan, notes, refs, entries) | `defuse` | `sanitizeForTerminal` |
 *
 * All are idempotent and linear in the length of the text, and leave ordinary text, code and HTML unchanged.
 */

export {
  defuse,
  renderSafeJson,
  sanitizeForTerminal,
  sanitizeLine,
  sanitizeText,
  stripInvisible,
  toPlainLine,
  withTexts,
} from './outgoing.ts';
export {
  type Finding,
  findSecrets,
  redactEnd,
  redactMessage,
  redactPassage,
  redactSecrets,
  redactStart,
} from './redact.ts';

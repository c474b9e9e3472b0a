/**
 * Text on its way out: to a model, a file that a model reads, a terminal. Whatever leaves goes through exactly
 * one of these, once, where it is rendered:
 *
 * | text | to a model or a file | to a terminal |
 * |---|---|---|
 * | of others, one line (transcript, memory, task, output of a command) | `safeLine` | the same |
 * | of others, many lines | `safeText` | the same |
 * | of whoever owns it (plan, notes, refs, entries) | `defuse` | `forTerminal` |
 *
 * All are idempotent and linear in the length of the text, and leave ordinary text, code and HTML alone.
 */

export { defuse, plainLine, safeLine, safeText, withTexts } from './outgoing.ts';
export { type Finding, findSecrets, redactPassage, redactSecrets } from './redact.ts';
export { forTerminal, safeJson, visible } from './visible.ts';

import { tell } from './ask.js';

/*
 * A compaction without a model (`compaction.prune: on`): every word and every call stays, and old results of tools become
 * their head and tail, with the call that reads the whole.
 */

/** What remains is at most this part of the conversation; else the host's own summary is worth its price. */
const PART = 4;
/** Characters that stay of the head and of the tail of a result, in each try. */
const TRIES = [
  { edge: 400, spares: 'turn' },
  { edge: 400, spares: 'result' },
  { edge: 0, spares: 'result' },
];
/** A shorter result is not worth a line that says where it is. */
const SHORT = 400;
const MARK = /^\[… [\d,]+ characters left out; the whole: .* …\]$/m;

/** @returns the conversation with its old results cut; `undefined` if that would not be short enough */
export async function prune($, { messages, trigger }) {
  const before = measure(messages);
  for (const { edge, spares } of TRIES) {
    const until = findSpared(messages, spares);
    const isCut = ({ text }, row) => row < until && text.length > 2 * edge + SHORT;
    const planned = rewrite(messages, isCut, (text) => cut(text, edge, ''));
    if (measure(planned) * PART > before || planned.every((row, k) => row === messages[k])) continue;

    const results = messages.flatMap(({ toolResults = [] }, row) =>
      canRewrite(messages[row]) ? toolResults.filter((one) => isCut(one, row) && !MARK.test(one.text)) : [],
    );
    const calls = new Map(messages.flatMap(({ toolUses }) => toolUses.map((use) => [use.tool_use_id, use])));
    const about = ({ tool_use_id: id }) =>
      `${calls.get(id)?.tool} ${JSON.stringify(calls.get(id)?.input ?? {})}`;
    const told = results.map((one) => ({ id: one.tool_use_id, about: about(one), text: one.text }));
    const { kept = {} } =
      told.length === 0 ? {} : await tell($, 'before-compaction', { trigger, results: told });
    if (results.some(({ tool_use_id }) => kept[tool_use_id] === undefined)) return undefined;
    return rewrite(messages, isCut, (text, id) => cut(text, edge, kept[id]));
  }
}

/** The row from which on nothing is cut: the person's newest prompt, or the newest results, whichever is first. */
function findSpared(messages, spares) {
  const result = messages.findLastIndex(({ toolResults }) => toolResults?.length > 0);
  const prompt = messages.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  return spares === 'turn' ? Math.min(result, prompt) : result;
}

/** A row without the host's handle is built anew from its texts: one with an image would lose it. */
const canRewrite = ({ toolResults = [] }) =>
  !toolResults.some(({ text, result }) => text === '' || result?.isImage || result?.type === 'image');

function rewrite(messages, isCut, change) {
  return messages.map((message, row) => {
    const { role, text, toolUses, toolResults = [] } = message;
    if (!toolResults.some((one) => isCut(one, row)) || !canRewrite(message)) return message;
    const changed = toolResults.map((one) => {
      const { tool_use_id, isError } = one;
      return { tool_use_id, isError, text: isCut(one, row) ? change(one.text, tool_use_id) : one.text };
    });
    return { role, text, toolUses, toolResults: changed };
  });
}

function cut(text, edge, read) {
  const count = (text.length - 2 * edge).toLocaleString('en');
  const mark = MARK.exec(text)?.[0] ?? `[… ${count} characters left out; the whole: ${read} …]`;
  if (edge === 0) return mark;
  return `${text.slice(0, edge).toWellFormed()}\n${mark}\n${text.slice(-edge).toWellFormed()}`;
}

const measure = (messages) =>
  messages.reduce((sum, { text, toolUses, toolResults = [] }) => {
    const calls = toolUses.reduce((size, { input }) => size + JSON.stringify(input).length, 0);
    return toolResults.reduce((size, one) => size + one.text.length, sum + text.length + calls);
  }, 0);

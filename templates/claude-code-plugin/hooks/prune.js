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
    const planned = measure(rewrite(messages, isCut, (text) => cut(text, edge, '')));
    if (planned * PART > before || planned === before) continue;

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
  const prompt = findPrompt(messages);
  return spares === 'turn' ? Math.min(result, prompt) : result;
}

const findPrompt = (messages) => messages.findLastIndex(({ role, text }) => role === 'user' && text !== '');

/**
 * A row without the host's handle is built anew from its texts: one with an image would lose it. All other results are, also
 * those that stay whole, and the calls before the newest prompt: with a handle they still belong to the host's rows of before,
 * and a resumed session would go back there.
 */
const canRewrite = ({ toolResults = [] }) =>
  !toolResults.some(({ text, result }) => text === '' || result?.isImage || result?.type === 'image');

function rewrite(messages, isCut, change) {
  const newest = findPrompt(messages);
  const answers = findAnswers(messages);
  const rows = messages.map((message, row) => {
    const { role, text, toolUses, toolResults = [] } = message;
    if (answers.has(row) && row < newest) return { role, text, toolUses };
    if (toolResults.length === 0 || !canRewrite(message)) return message;
    const changed = toolResults.map((one) => {
      const { tool_use_id, isError } = one;
      return { tool_use_id, isError, text: isCut(one, row) ? change(one.text, tool_use_id) : one.text };
    });
    return { role, text, toolUses, toolResults: changed };
  });
  return rows.reduce(join, []);
}

/** The rows of answers that make calls: their words, thoughts and calls have rows of their own. */
function findAnswers(messages) {
  const found = new Set();
  let from = 0;
  for (const [row, { role }] of messages.entries()) {
    if (role !== 'assistant') from = row + 1;
    else if (messages.slice(from, row + 1).some(({ toolUses }) => toolUses.length > 0))
      for (let k = from; k <= row; k += 1) found.add(k);
  }
  return found;
}

/** The host tells by its own rows which calls were made side by side: those of rows that are built anew go into one. */
function join(rows, row) {
  const last = rows.at(-1);
  if (last === undefined || last.handle || row.handle || last.role !== row.role) {
    rows.push(row);
    return rows;
  }
  const [a, b] = [last.toolResults ?? [], row.toolResults ?? []];
  const { role } = row;
  const text = [last.text, row.text].filter(Boolean).join('\n');
  const toolUses = [...last.toolUses, ...row.toolUses];
  rows[rows.length - 1] = {
    role,
    text,
    toolUses,
    ...(a.length + b.length > 0 ? { toolResults: [...a, ...b] } : {}),
  };
  return rows;
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

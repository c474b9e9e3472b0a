import { redactSecrets } from '../base/safety/index.ts';
import { counted, spellGap } from '../base/text/counts.ts';
import { pickedIn, spellPicked } from '../transcript/hearing/pointing.ts';
import { itemsOf } from '../transcript/record.ts';
import { lastActive, type StoredSession, storedSessions, storeSession } from '../transcript/store.ts';
import { failingHere } from './fails.ts';
import { chooseMessages, lineOf, messagesOf, messagesWith, type Said, WORDS_TOKENS } from './messages.ts';
import { actsAskedFor, asksToCommit, forbidden, relationOf, returnsTo, saysToGoOn } from './prompt.ts';
import { editsLine, failsLine, lastWordsLine, named, stateLine } from './say.ts';
import { type HandoverOptions, hasWorked, mayRun, sessionsBefore } from './sessions.ts';
import { workState } from './state.ts';
import { tellingWords } from './vocabulary.ts';

export { learnFailing } from './fails.ts';
export type { Said } from './messages.ts';
export { lineOf, messagesOf } from './messages.ts';
export { branchesIn, type HandoverOptions, mayRun, ownSession, sessionsBefore } from './sessions.ts';
export { type OpenBecause, planOf, type Standing, stateOf, type WorkState, workState } from './state.ts';
export { forgetMessages, type HandoverView, handoverOf, handoverText, openHandover } from './view.ts';

/** A line for the model about earlier work. */
export interface HandoverLine {
  /** The same for the same fact, so that it is said once. */
  key: string;
  text: string;
  /** Why it is said, for `--explain` and `handover`. */
  why: string;
  /** Lines of one heading stand together. */
  heading?: string;
}

/** What an agent is told of the work before it. */
export interface Handover {
  lines: HandoverLine[];
  /** To be called once the lines have been said: the messages are given to the first session that goes on. */
  said(): void;
  /** Whether a later prompt may still be told more: the person's words were not. */
  open: boolean;
}

/** The first prompt of a session, one later in it, or one that names another branch than the one here. */
export type When = 'first' | 'later' | 'elsewhere';

/** Files that are named for a commit. */
const MOST_NAMED = 12;
const NOTHING: Handover = { lines: [], said: () => undefined, open: true };

/**
 * For the first prompt of a session: a line about the last session here; the person's messages of it, word for word, if
 * the prompt goes on with its work; and what fails here. Nothing if the prompt brings work of its own. Later in a
 * session, and of another branch, only what goes on with that work.
 * @param own the session that begins
 */
export async function ofLastSession(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  when: When,
): Promise<Handover> {
  const { root, now } = options;
  const onlyIfItGoesOn = when !== 'first';
  if (when === 'elsewhere' && !saysToGoOn(prompt, options.branch)) return NOTHING;
  const spoken = when === 'later' ? wordsSpoken(own, prompt) : [];
  if (spoken.length > 0 && !saysToGoOn(prompt, undefined)) return NOTHING;
  const fails = failingHere(root).map((one) => ({
    key: `fails:${one.program}`,
    text: failsLine(one, now),
    why: `seen in ${one.sessions.length} sessions`,
  }));
  const { last, all } = await sessionsBefore(options, own);
  if (last === undefined) return onlyIfItGoesOn ? NOTHING : { ...NOTHING, lines: fails };
  const state = await workState(last, options.cwd ?? root);
  const running = mayRun(last, now);
  const holder = holderOf(last, all);
  const said = messagesWith(holder, all);
  if (when === 'later' && !returnsTo(prompt, state, said, spoken)) return NOTHING;
  const relation = onlyIfItGoesOn ? 'goes on' : relationOf(prompt, state, said, firstPromptOf(last));
  if (relation === 'own work') {
    const text = running ? '' : editsLine(state, now);
    return {
      ...NOTHING,
      lines: text === '' ? [] : [{ key: 'handover:edits', text, why: 'the prompt brings its own work' }],
    };
  }
  const isFree = holder.takenBy === undefined || holder.takenBy === options.session;
  const goesOn = relation === 'goes on' && !running && isFree;
  const messages = goesOn
    ? messageLines(said, headingOf(last, now), { now, since: last.record.began, already: [prompt], prompt })
    : [];
  const lines: HandoverLine[] = [];
  const line = stateLine(state, now, running, {
    withWords: messages.length > 0,
    withBranch: onlyIfItGoesOn,
    messages: said.filter(({ agrees }) => !agrees).length,
  });
  const why = state.open.length === 0 ? 'nothing is open' : `open: ${state.open.join(', ')}`;
  if (line !== '') lines.push({ key: 'handover:state', text: line, why });
  const words = running ? '' : lastWordsLine(state);
  if (words !== '' && (goesOn || state.question !== undefined))
    lines.push({ key: 'handover:last-words', text: words, why });
  if (!goesOn) return { ...NOTHING, lines: [...lines, ...fails] };
  const picked = pickedIn(prompt, state.lastWords ?? '');
  if (picked.length > 0) {
    const text = redactSecrets(`Of its last list, item ${spellPicked(picked)}`);
    lines.push({ key: 'handover:picked', text, why: 'the prompt names an item of its last list' });
  }
  const { session } = options;
  return {
    lines: [...lines, ...messages, ...fails],
    open: false,
    said: () => {
      if (session !== undefined) storeSession(root, { ...holder, takenBy: session });
    },
  };
}

/** Who has a session's words now: those who took them over, and only talked, do not keep them from the next. */
function holderOf(last: StoredSession, all: readonly StoredSession[]): StoredSession {
  let holder = last;
  for (const _ of all) {
    const taker = all.find((one) => one.session === holder.takenBy);
    if (taker === undefined || hasWorked(taker)) break;
    holder = taker;
  }
  return holder;
}

const headingOf = (last: StoredSession, now: number): string =>
  `The person's messages in that session, word for word (a record of ${spellGap(now - lastActive(last))} ago; the prompt goes before it)`;

/**
 * The chosen messages as lines, and how to see those between them.
 * @param since when their session began, ISO 8601: what was said before is told with its age
 */
function messageLines(
  said: readonly Said[],
  heading: string,
  given: { now: number; since: string | undefined; already: readonly string[]; prompt?: string },
): HandoverLine[] {
  const { now, since, already, prompt } = given;
  const { messages, left } = chooseMessages(said, WORDS_TOKENS, already, prompt);
  const age = ({ at }: Said): string =>
    at !== undefined && since !== undefined && at < since ? `(${spellGap(now - Date.parse(at))} ago) ` : '';
  const lines = messages.map((message) => ({
    key: `said:${message.id}`,
    text: `${age(message)}${lineOf(message)}`,
    why: message.rules ? 'a message that rules something' : 'one of the messages that say most',
    heading,
  }));
  if (left > 0 && lines.length > 0) {
    const text = `${counted(left, 'more message')} between them: \`scratchpad handover\``;
    lines.push({ key: 'said:more', text, why: 'they say less, or the budget holds no more', heading });
  }
  return lines;
}

/** The words that tell what a session spoke of before the prompt in hand; one that matches nothing if that is not known. */
function wordsSpoken(own: StoredSession | undefined, prompt: string): string[] {
  const before = own === undefined ? [] : messagesOf(own).filter(({ text }) => text.trim() !== prompt.trim());
  return before.length === 0 ? [''] : before.flatMap(({ text }) => tellingWords(text));
}

function firstPromptOf({ record }: StoredSession): string | undefined {
  const first = itemsOf(record).find((item) => item.type === 'person');
  return record.opening ?? (first?.type === 'person' ? first.text : undefined);
}

/**
 * After a compaction: the person's messages that its summary does not hold nearly word for word, names that fail, and
 * the open question. The summary may not be in the file yet; then all messages count.
 */
export async function afterCompaction(
  options: HandoverOptions,
  own: StoredSession | undefined,
): Promise<HandoverLine[]> {
  if (own === undefined) return [];
  const items = itemsOf(own.record);
  const summary = items.findLast((item) => item.type === 'compacted');
  const already = summary?.type === 'compacted' && summary.summary !== undefined ? [summary.summary] : [];
  const heading = 'The person said in this session, word for word (what the summary leaves out)';
  const said = messagesWith(own, storedSessions(options.root));
  const lines = messageLines(said, heading, { now: options.now, since: own.record.began, already });
  const state = await workState(own, options.cwd ?? options.root);
  const failing = state.check?.failing ?? [];
  const missing = failing.filter((name) => !already.some((text) => text.includes(name))).slice(0, 4);
  if (missing.length > 0)
    lines.push({
      key: 'handover:failing',
      text: `Failed in the last check: ${missing.map(redactSecrets).join('; ')}`,
      why: 'the summary does not name them',
    });
  if (state.question !== undefined && already.length === 0)
    lines.push({
      key: 'handover:question',
      text: `Not answered yet: “${redactSecrets(state.question)}”`,
      why: 'the agent asked',
    });
  return lines;
}

/**
 * At any prompt: messages that forbid what it asks for, and the uncommitted files for a request to commit.
 * @param first whether it is the first prompt of its session
 */
export async function atPrompt(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  first: boolean,
): Promise<HandoverLine[]> {
  const commits = asksToCommit(prompt);
  // All that was ever said here is read only for what has consequences, and where it is read anyway.
  const reads = commits || first || actsAskedFor(prompt).length > 0;
  const all = reads ? (await sessionsBefore(options, own)).all : [];
  const lines: HandoverLine[] = [];
  const tell = (said: readonly Said[], where: string): void => {
    for (const message of forbidden(prompt, said).slice(-2)) {
      const age = message.at === undefined ? '' : `, ${spellGap(options.now - Date.parse(message.at))} ago`;
      lines.push({
        key: `forbidden:${message.id}`,
        text: `The person said ${where}${age}: ${lineOf(message)}`,
        why: 'it forbids or puts off what the prompt asks for',
      });
    }
  };
  if (own !== undefined) tell(outOfSight(own), 'earlier in this session');
  for (const stored of all) tell(messagesOf(stored), 'in an earlier session here');
  if (commits) lines.push(...(await commitLines(options, own, all)));
  return lines;
}

/** What the person said before the last compaction: the model does not see it any more. */
function outOfSight(own: StoredSession): Said[] {
  const items = itemsOf(own.record);
  const at = items.findLastIndex(({ type }) => type === 'compacted');
  if (at <= 0) return [];
  const before = new Set(items.slice(0, at).map((item) => item.id));
  return messagesOf(own).filter(({ id }) => before.has(id));
}

async function commitLines(
  options: HandoverOptions,
  own: StoredSession | undefined,
  all: readonly StoredSession[],
): Promise<HandoverLine[]> {
  const lines: HandoverLine[] = [];
  for (const [stored, title] of [
    [own, 'Uncommitted, edited in this session'],
    [all[0], 'Uncommitted, left by the last session here'],
  ] as const) {
    if (stored === undefined) continue;
    const { uncommitted = [] } = await workState(stored, options.cwd ?? options.root);
    if (uncommitted.length === 0) continue;
    lines.push({
      key: `uncommitted:${stored === own ? 'own' : 'last'}`,
      text: `${title}: ${named(uncommitted, MOST_NAMED)}`,
      why: 'the prompt asks for a commit',
    });
  }
  return lines;
}

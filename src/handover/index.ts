import { redactSecrets } from '../base/safety/index.ts';
import { counted, spellGap } from '../base/text/strings.ts';
import { pickedIn, spellPicked } from '../transcript/hearing.ts';
import { itemsOf } from '../transcript/record.ts';
import { lastActive, type StoredSession, storedSessions, storeSession } from '../transcript/store.ts';
import { chooseMessages, lineOf, messagesOf, messagesWith, type Said, WORDS_TOKENS } from './messages.ts';
import { actsAskedFor, asksToCommit, asksToContinue, forbidden, relationOf } from './prompt.ts';
import { editsLine, lastWordsLine, named, stateLine } from './say.ts';
import {
  type Before,
  type HandoverOptions,
  hasWorked,
  holderOf,
  mayRun,
  sessionsBefore,
} from './sessions.ts';
import { workState } from './state.ts';

export type { Said } from './messages.ts';
export { lineOf, messagesOf } from './messages.ts';
export {
  forgetMessages,
  type HandoverView,
  handoverOf,
  handoverText,
  openHandover,
} from './say.ts';
export { type HandoverOptions, mayRun, ownSession, sessionsBefore } from './sessions.ts';
export { type OpenBecause, planOf, type Standing, stateOf, type WorkState, workState } from './state.ts';

export interface HandoverLine {
  /** The same for the same fact, so that it is said once. */
  key: string;
  text: string;
  /** Why it is said, for `--explain` and `handover`. */
  why: string;
  /** Lines of one heading stand together. */
  heading?: string;
}

export interface Handover {
  lines: HandoverLine[];
  /** To be called once the lines have been said: the messages are given to the first session that goes on. */
  said(): void;
  /** Whether a later prompt may still be told more: the person's words were not. */
  open: boolean;
}

/** The first prompt of a session, one later in it, or one after it has switched to another branch. */
export type When = 'first' | 'later' | 'switched';

const MOST_NAMED = 12;
const NOTHING: Handover = { lines: [], said: () => undefined, open: true };

const says = (key: string, text: string, why: string, heading?: string): HandoverLine[] =>
  text === '' ? [] : [{ key, text, why, heading }];

/**
 * For the first prompt of a session: a line about the last session here; the person's messages of it, word for word, if
 * the prompt goes on with its work. Nothing if the prompt brings work of its own. Later only to a prompt that asks to
 * go on, in a session that has not worked yet or not on this branch.
 * @param own the session that begins
 * @param before the sessions before it; not read again then
 */
export async function ofLastSession(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  when: When,
  before?: Before,
): Promise<Handover> {
  const { root, now, session } = options;
  const isLate = when !== 'first';
  if (when === 'later' && own !== undefined && hasWorked(own)) return { ...NOTHING, open: false };
  if (isLate && !asksToContinue(prompt)) return NOTHING;
  const { last, onlyTalkSince, all } = before ?? (await sessionsBefore(options, own));
  if (last === undefined) return NOTHING;
  const state = await workState(last, options.cwd ?? root);
  const running = mayRun(last, now);
  const holder = holderOf(last, all);
  const said = messagesWith(holder, all);
  const relation = isLate ? 'goes on' : relationOf(prompt, state, said, messagesOf(last)[0]?.text);
  if (relation === 'own work') {
    const text = running ? '' : editsLine(state, now);
    return { ...NOTHING, lines: says('handover:edits', text, 'the prompt brings its own work') };
  }
  const isFree = holder.takenBy === undefined || holder.takenBy === session;
  const goesOn = relation === 'goes on' && !running && isFree;
  const age = spellGap(now - lastActive(last));
  const heading = `The person's messages in that session, word for word (a record of ${age} ago; the prompt goes before it)`;
  const messages = goesOn ? messageLines(last, said, heading, now, [prompt], prompt) : [];
  const told = {
    withWords: messages.length > 0,
    onlyTalkSince,
    messages: said.filter(({ agrees }) => !agrees).length,
  };
  const why = state.open.length === 0 ? 'nothing is open' : `open: ${state.open.join(', ')}`;
  const words = goesOn || (!running && state.question !== undefined) ? lastWordsLine(state) : '';
  const picked = goesOn ? pickedIn(prompt, state.lastWords ?? '') : [];
  const item = picked.length === 0 ? '' : redactSecrets(`Of its last list, item ${spellPicked(picked)}`);
  return {
    lines: [
      ...says('handover:state', stateLine(state, now, running, told), why),
      ...says('handover:last-words', words, why),
      ...says('handover:picked', item, 'the prompt names an item of its last list'),
      ...messages,
    ],
    open: !goesOn,
    said: () => {
      if (goesOn && session !== undefined) storeSession(root, { ...holder, takenBy: session });
    },
  };
}

/**
 * The chosen messages as lines, and how to see the others.
 * @param of the session that the heading names: what was said before or after it is told with its age
 */
function messageLines(
  of: StoredSession,
  said: readonly Said[],
  heading: string,
  now: number,
  already: readonly string[],
  prompt?: string,
): HandoverLine[] {
  const began = Date.parse(of.record.began ?? '');
  const ended = lastActive(of) || Number.POSITIVE_INFINITY;
  const { messages, left } = chooseMessages(said, WORDS_TOKENS, already, prompt);
  const lines = messages.flatMap((message) => {
    const { id, rules } = message;
    const at = Date.parse(message.at ?? '');
    const age = at < began || at > ended ? `(${spellGap(now - at)} ago) ` : '';
    const why = rules ? 'a message that rules something' : 'one of the messages that say most';
    return says(`said:${id}`, `${age}${lineOf(message)}`, why, heading);
  });
  if (left === 0 || lines.length === 0) return lines;
  const more = `${counted(left, 'more message')}: \`scratchpad handover\``;
  return [...lines, ...says('said:more', more, 'they say less, or the budget holds no more', heading)];
}

/**
 * After a compaction: the person's messages that its summary does not hold word for word, and the open question. The
 * summary may not be in the file yet; then all messages count.
 */
export async function afterCompaction(
  options: HandoverOptions,
  own: StoredSession | undefined,
): Promise<HandoverLine[]> {
  if (own === undefined) return [];
  const { root, now } = options;
  const summary = itemsOf(own.record).findLast((item) => item.type === 'compacted');
  const held = (summary?.type === 'compacted' ? summary.summary : undefined) ?? '';
  const heading = 'The person said in this session, word for word (what the summary leaves out)';
  const state = await workState(own, options.cwd ?? root);
  const asked = held === '' && state.question !== undefined ? redactSecrets(state.question) : '';
  return [
    ...messageLines(own, messagesWith(own, storedSessions(root)), heading, now, [held]),
    ...says('handover:question', asked === '' ? '' : `Not answered yet: “${asked}”`, 'the agent asked'),
  ];
}

/**
 * At any prompt: messages that forbid what it asks for, and the uncommitted files for a request to commit.
 * @param before the sessions before, at the first prompt; later they are read for what has consequences only
 */
export async function atPrompt(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  before: Before | undefined,
): Promise<HandoverLine[]> {
  const { now, root, cwd } = options;
  const commits = asksToCommit(prompt);
  const reads = before === undefined && (commits || actsAskedFor(prompt).length > 0);
  const { all } = (reads ? await sessionsBefore(options, own) : before) ?? { all: [] };
  const tell = (said: readonly Said[], where: string): HandoverLine[] =>
    forbidden(prompt, said)
      .slice(-2)
      .flatMap((message) => {
        const age = message.at === undefined ? '' : `, ${spellGap(now - Date.parse(message.at))} ago`;
        const text = `The person said ${where}${age}: ${lineOf(message)}`;
        return says(`forbidden:${message.id}`, text, 'it forbids or puts off what the prompt asks for');
      });
  const uncommitted = async (key: string, stored: StoredSession | undefined, title: string) => {
    const paths = stored && commits ? ((await workState(stored, cwd ?? root)).uncommitted ?? []) : [];
    const text = paths.length === 0 ? '' : `${title}: ${named(paths, MOST_NAMED)}`;
    return says(`uncommitted:${key}`, text, 'the prompt asks for a commit');
  };
  return [
    ...(own === undefined ? [] : tell(outOfSight(own), 'earlier in this session')),
    ...all.flatMap((stored) => tell(messagesOf(stored), 'in an earlier session here')),
    ...(await uncommitted('own', own, 'Uncommitted, edited in this session')),
    ...(await uncommitted('last', all[0], 'Uncommitted, left by the last session here')),
  ];
}

/** What the person said before the last compaction: the model does not see it any more. */
function outOfSight(own: StoredSession): Said[] {
  const items = itemsOf(own.record);
  const at = items.findLastIndex(({ type }) => type === 'compacted');
  if (at <= 0) return [];
  const before = new Set(items.slice(0, at).map((item) => item.id));
  return messagesOf(own).filter(({ id }) => before.has(id));
}

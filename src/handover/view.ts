import { defuse } from '../base/safety/index.ts';
import { recordOfText } from '../transcript/read.ts';
import { type StoredSession, storedSession, storedSessions, storeSession } from '../transcript/store.ts';
import { chooseMessages, lineOf, messagesOf, messagesWith, type Said, WORDS_TOKENS } from './messages.ts';
import { lastWordsLine, stateLine } from './say.ts';
import { type HandoverOptions, holderOf, mayRun, ownSession, sessionsBefore } from './sessions.ts';
import { planOf, type WorkState, workState } from './state.ts';

export interface HandoverView {
  session: string;
  at: string;
  running: boolean;
  ended: boolean;
  /** What a first prompt is told of it. */
  line: string;
  /** All that a session that goes on with the work is told; empty if there is nothing to tell. */
  text: string;
  state: WorkState;
  /** Its last words, or its question, if something is open. */
  lastWords: string;
  /** Everything that the person said in it, oldest first; `told` marks what a session that goes on is told. */
  messages: (Said & { number: number; told: boolean })[];
  /** The host's own list of tasks as a plan, if some are open. */
  plan?: string;
  /** The session that was told these messages; no other one is. */
  takenBy?: string;
}

/** The hand-over of the session that is asked for; of none, what the next session would be told. */
export async function openHandover(options: HandoverOptions): Promise<HandoverView | undefined> {
  const isNamed = options.session !== undefined || options.transcript !== undefined;
  const next = isNamed ? undefined : await handoverTo(options, undefined);
  if (next !== undefined) return next;
  const stored = await ownSession(options);
  if (stored === undefined) return undefined;
  const all = storedSessions(options.root);
  const { takenBy } = holderOf(stored, all);
  return { ...(await viewOf(stored, options, messagesWith(stored, all))), takenBy };
}

/** The hand-over that a session was given, which an agent in it asks for; `undefined` if none was before it. */
export async function handoverBefore(
  options: HandoverOptions,
  session: string,
): Promise<HandoverView | undefined> {
  return handoverTo({ ...options, session }, await ownSession({ ...options, session }));
}

/** What a session is told of the ones before it; one that has not begun without `own`. */
async function handoverTo(
  options: HandoverOptions,
  own: StoredSession | undefined,
): Promise<HandoverView | undefined> {
  const { last, onlyTalkSince, all } = await sessionsBefore(options, own);
  if (last === undefined) return undefined;
  const holder = holderOf(last, all);
  const takenBy = holder.takenBy === options.session ? undefined : holder.takenBy;
  return { ...(await viewOf(last, options, messagesWith(holder, all), onlyTalkSince)), takenBy };
}

/**
 * The hand-over of messages. Nothing is stored, so that no later session takes it for its own past.
 * @throws ScratchpadError if the messages cannot be read
 */
export async function handoverOf(
  { text, name }: { text: string; name: string },
  { root, now }: Pick<HandoverOptions, 'root' | 'now'>,
): Promise<HandoverView> {
  const record = await recordOfText(text, name, { root });
  const session = record.facts.session ?? name;
  const stored = { session, path: name, root, worktree: '', forgotten: [], record };
  return viewOf(stored, { root, now, cwd: record.facts.cwd }, messagesOf(stored));
}

async function viewOf(
  stored: StoredSession,
  { root, cwd, now }: Pick<HandoverOptions, 'root' | 'cwd' | 'now'>,
  all: readonly Said[],
  onlyTalkSince = false,
): Promise<HandoverView> {
  const state = await workState(stored, cwd ?? root);
  const running = mayRun(stored, now);
  const { messages } = chooseMessages(all, WORDS_TOKENS);
  const told = new Set(messages);
  const lastWords = lastWordsLine(state);
  const text = [
    stateLine(state, now, running, { withWords: told.size > 0, onlyTalkSince }),
    lastWords,
    told.size === 0 ? '' : "The person's messages in that session, word for word:",
    ...messages.map((message) => `- ${lineOf(message)}`),
  ].filter((line) => line !== '');
  return {
    session: stored.session,
    at: new Date(state.at ?? now).toISOString(),
    running,
    ended: stored.ended === true,
    line: stateLine(state, now, running, { onlyTalkSince }),
    text: defuse(text.join('\n')),
    state,
    lastWords,
    messages: all.map((said, index) => ({ ...said, number: index + 1, told: told.has(said) })),
    plan: planOf(stored),
  };
}

export async function forgetMessages(
  options: HandoverOptions,
  session: string,
  ids: readonly string[],
): Promise<void> {
  const stored = storedSession(options.root, session) ?? (await ownSession({ ...options, session }));
  if (stored === undefined) return;
  const forgotten = [...new Set([...stored.forgotten, ...ids])].slice(-400);
  storeSession(options.root, { ...stored, forgotten }, true);
}

/**
 * A hand-over as text for a person or a model.
 * @param time how to print a time
 */
export function handoverText(view: HandoverView, time: (at: string) => string = (at) => at): string {
  const { line, lastWords, messages, takenBy } = view;
  const lines = messages.map((said) => {
    const { number, at, told, agrees, rules } = said;
    const would = takenBy === undefined ? 'would be told' : `session ${takenBy} was told`;
    const why = agrees
      ? 'agrees'
      : told
        ? `${would}${rules ? ': it rules something' : ''}`
        : 'would not be told';
    const when = at === undefined ? '' : `${time(at)}; `;
    return `${String(number).padStart(3)}. ${lineOf(said).replaceAll('\n', '\n     ')}\n     (${when}${why})`;
  });
  return [
    line === '' ? 'The last session here left nothing to tell.' : line,
    lastWords,
    lines.length === 0 ? '' : `What the person said:\n${lines.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

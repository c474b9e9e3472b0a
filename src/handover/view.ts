import { defuse, redactSecrets, withTexts } from '../base/safety/index.ts';
import { embedText, quoteText, shorten } from '../base/text/strings.ts';
import { isOfOtherChat } from '../session/actor.ts';
import { readTextRecord } from '../transcript/read.ts';
import { listItems, prepareRecord } from '../transcript/record.ts';
import {
  readStoredSession,
  readStoredSessions,
  type StoredSession,
  storeSession,
} from '../transcript/store.ts';
import { chooseAgentMessages } from './agent-messages.ts';
import type { PersonMessage } from './choose-messages.ts';
import { renderMessage } from './choose-messages.ts';
import { renderStateLine } from './lines.ts';
import { listInheritedMessages } from './messages.ts';
import {
  findPreviousSessions,
  getActivityTime,
  type HandoverOptions,
  LAST,
  listTakers,
  mayRun,
  ownSession,
} from './sessions.ts';
import { buildWorkState, isUnfinished, readWorkState, renderTaskPlan, type WorkState } from './state.ts';
import { makeMessageKey, renderWorkLines, settleQuestion } from './work-lines.ts';

const ABOUT_LENGTH = 90;
const OVER = 'carried out, or only agrees';

export interface HandoverView {
  session: string;
  at: string;
  running: boolean;
  ended: boolean;
  line: string;
  /** All that a session that goes on with the work is told; empty if there is nothing to tell. */
  text: string;
  state: WorkState;
  agent: string[];
  /** `reason`: why one is not told. */
  messages: (Omit<PersonMessage, 'lasting'> & { number: number; told: boolean; reason?: string })[];
  plan?: string;
  /** The session that was told these messages; no other one is. */
  takenBy?: string;
  /** Sessions of other work, newest first: a prompt that names it is told of them instead. */
  earlier: { session: string; at: string; about: string }[];
}

/**
 * The hand-over of the session that is asked for; of none, what the next session would be told.
 * @param asking the session of an agent that asks: it is given what was before its own
 */
export async function openHandover(
  options: HandoverOptions,
  asking?: string,
): Promise<HandoverView | undefined> {
  if (options.session === undefined && options.transcript === undefined) {
    const own = asking === undefined ? undefined : await ownSession({ ...options, session: asking });
    const { last, title, all } = await findPreviousSessions({ ...options, session: asking }, own);
    if (last !== undefined) return makeView(last, options, all, { title, asking });
  }

  const stored = await ownSession(options);
  if (stored === undefined || isOfOtherChat(stored.session, asking)) return undefined;
  return makeView(stored, options, readStoredSessions(options.root));
}

/**
 * The hand-over of messages, undefined without any. Nothing is stored, so that no later session takes it for its own past.
 * @throws ScratchpadError if the messages cannot be read
 */
export async function makeHandover(
  { text, name }: { text: string; name: string },
  { root, now }: Pick<HandoverOptions, 'root' | 'now'>,
): Promise<HandoverView | undefined> {
  const record = prepareRecord(await readTextRecord(text, name, { root }), false);
  if (listItems(record).length === 0) return undefined;

  const session = record.facts.session ?? name;
  const stored = { session, path: name, root, worktree: '', forgotten: [], record };
  return makeView(stored, { root, now, cwd: record.facts.cwd }, [], { isPassed: true });
}

async function makeView(
  stored: StoredSession,
  { root, cwd, now }: Pick<HandoverOptions, 'root' | 'cwd' | 'now'>,
  others: readonly StoredSession[],
  { title, asking, isPassed }: { title?: string; asking?: string | undefined; isPassed?: true } = {},
): Promise<HandoverView> {
  const state = await readWorkState(stored, cwd ?? root);
  const running = mayRun(stored, now, root);
  const holder = listTakers(stored, others).at(-1) ?? stored;
  const all = listInheritedMessages(holder, others);
  settleQuestion({ state, last: stored, messages: all, sessions: others });
  const about = { now, title: title ?? LAST, running, cwd: cwd ?? root, withWords: false };
  const lines = renderWorkLines({ last: stored, state, messages: all, sessions: [stored, ...others] }, about);
  const sessions = new Set([stored, ...all].map(({ session }) => session));
  const toldKeys = new Set(lines.map(({ key }) => key));
  const text = lines.flatMap(({ key, heading, text }, at) => {
    // The command that prints more does not know messages that a program passed.
    if (isPassed && key === 'said:more') return [];
    if (heading === undefined) return text;
    return [
      ...(heading === lines[at - 1]?.heading ? [] : [`${heading}:`]),
      `- ${text.replaceAll('\n', '\n  ')}`,
    ];
  });
  const hasAsked = state.question !== undefined;
  const agent = hasAsked ? [] : chooseAgentMessages(stored, isUnfinished(state)).map(({ text }) => text);
  const line = renderStateLine(state, about);
  const words = { line, text: defuse(text.join('\n')), state, agent, plan: renderTaskPlan(stored) };

  return {
    session: stored.session,
    at: new Date(state.at ?? now).toISOString(),
    running,
    ended: stored.ended === true,
    ...withTexts(words, redactSecrets),
    messages: all.map(({ lasting, ...message }, index) => {
      const told = toldKeys.has(makeMessageKey(message));
      const isOver = message.agrees || lasting === '';
      return { ...message, number: index + 1, told, ...(!told && isOver && { reason: OVER }) };
    }),
    takenBy: holder.takenBy === asking ? undefined : holder.takenBy,
    earlier: others.flatMap((one) => {
      const { session, at = getActivityTime(one), subject } = buildWorkState(one);
      const isOther = title !== undefined && subject !== undefined && !sessions.has(session);
      return isOther ? { session, at: new Date(at).toISOString(), about: subject.text } : [];
    }),
  };
}

/** Leaves messages out from now on: each is forgotten in its own session, which may be an earlier one of the same work. */
export async function forgetMessages(
  options: HandoverOptions,
  messages: readonly Pick<PersonMessage, 'id' | 'session'>[],
): Promise<void> {
  for (const session of new Set(messages.map((message) => message.session))) {
    const stored = readStoredSession(options.root, session) ?? (await ownSession({ ...options, session }));
    if (stored === undefined) continue;

    const ids = messages.filter((message) => message.session === session).map(({ id }) => id);
    const forgotten = [...new Set([...stored.forgotten, ...ids])].slice(-400);
    storeSession(options.root, { ...stored, forgotten }, true);
  }
}

/** A hand-over as text for a person or a model. @param time how to print a time */
export function renderHandover(view: HandoverView, time: (at: string) => string = (at) => at): string {
  const { line, agent, messages, takenBy, earlier, state } = view;
  const willBe = takenBy === undefined ? 'will be told' : `session ${takenBy} was told`;
  const lines = messages.map((message) => {
    const { number, at, told, reason } = message;
    const when = at === undefined ? '' : `${time(at)}; `;
    const text = renderMessage(message).replaceAll('\n', '\n     ');
    const wont = `will not be told${reason === undefined ? '' : `: ${reason}`}`;
    return `${String(number).padStart(3)}. ${text}\n     (${when}${told ? willBe : wont})`;
  });
  const quotes = agent.map((text) => `  ${quoteText(text)}`);
  const others = earlier.map(({ session, at, about }) => {
    const quoted = quoteText(shorten(embedText(about), ABOUT_LENGTH));
    return `  ${quoted} (${time(at)}; \`scratchpad handover --session ${session}\`)`;
  });
  const parts = [
    ['The person said, for a session that goes on with this work:', ...lines],
    ["The agent's last messages, unchecked:", ...quotes],
    [
      'It asked, without an answer:',
      ...(state.question === undefined ? [] : [`  ${quoteText(state.question)}`]),
    ],
    ['Told instead to a session that goes on with what one of these names:', ...others],
  ].filter(({ length }) => length > 1);

  const texts = [...(line === '' ? [] : [line]), ...parts.map((part) => part.join('\n'))];
  return texts.join('\n\n') || 'The last session here left nothing to tell.';
}

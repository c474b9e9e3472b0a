import type { EventPlace } from './event.ts';
import { cutMiddle, type Item, itemsOf, pathOf, type SessionRecord } from './record.ts';
import type { Message, ReadOptions, Sign, Skipped, Transcript } from './types.ts';

/** Default number of messages in the window. */
export const DEFAULT_LIMIT = 20;
/** Longest name of a sender or a tool, in UTF-16 units. */
const LABEL_LIMIT = 200;
/** Longest text of a tool message in a window, in UTF-16 units: its head and tail are kept. */
const TOOL_TEXT_LIMIT = 32_768;

/** The last messages of a session, as its record has them. */
export function windowOf(record: SessionRecord, options: ReadOptions): Transcript {
  const { limit = DEFAULT_LIMIT, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const items = itemsOf(record);
  const { workingDirectory, session: id, ...facts } = record.facts;
  const cwd = facts.cwd ?? workingDirectory;
  const session = id ?? options.session ?? 'unknown';
  const all = items.flatMap((item) => messageOf(item, session));
  const newest = Math.max(...all.map(timeOf).filter((time) => !Number.isNaN(time)), Number.NEGATIVE_INFINITY);
  const young = all.filter((message) => !(newest - timeOf(message) > maxAgeMs));
  const messages = chooseWindow(young, limit);
  const opening =
    messages.length < all.length || record.unread > 0 ? (record.opening ?? firstWords(all)) : undefined;
  return {
    format: record.format,
    messages,
    facts: {
      ...facts,
      id,
      cwd,
      opening,
      compactions: items.flatMap((item) =>
        item.type === 'compacted' ? { timestamp: item.timestamp, summary: item.summary } : [],
      ),
      entries: record.ours,
    },
    signs: items.flatMap(signOf),
    skipped: skippedIn(record),
  };
}

/** The person's first words that are more than a bare command. */
export const firstWords = (messages: readonly Message[]): string | undefined =>
  messages.find(({ role, content }) => role === 'user' && /\S\s+\S/.test(content))?.content;

const timeOf = ({ timestamp }: Message): number =>
  timestamp === undefined ? Number.NaN : Date.parse(timestamp);

function messageOf(item: Item, session: string): Message[] {
  switch (item.type) {
    case 'person': {
      const voice = item.voice === 'prompt' ? undefined : item.voice;
      return [{ ...said(item, 'user', item.text, session), voice }];
    }
    case 'agent':
      return [said(item, 'assistant', item.text, session)];
    case 'host':
      return [said(item, 'system', item.text, session)];
    case 'call':
    case 'result': {
      const text = item.type === 'result' ? item.text : item.input;
      const message = said(item, 'tool', typeof text === 'string' ? text : JSON.stringify(text), session);
      return [{ ...message, tool: item.tool && label(item.tool) }];
    }
    default:
      return [];
  }
}

function said(event: EventPlace, role: Message['role'], content: string, session: string): Message {
  const { id, timestamp } = event;
  const sender = event.sender && label(event.sender);
  return { id, role, content, session: event.session || session, sender, timestamp };
}

/** A name on one line of limited length: names are foreign text, too. */
const label = (name: string): string => name.slice(0, LABEL_LIMIT).replace(/\s+/g, ' ').trim();

function signOf(item: Item): Sign[] {
  const { timestamp } = item;
  if (item.type === 'interrupted') return [{ kind: 'interrupted', timestamp }];
  const isRefused = item.type === 'did' && item.facts.refused?.by === 'person';
  return isRefused ? [{ kind: 'rejected', timestamp }] : [];
}

function skippedIn(record: SessionRecord): Skipped[] {
  const count = record.entries.length - pathOf(record).length;
  const gone = count > 0 ? [{ reason: 'taken back', count }] : [];
  return [...record.skipped, ...gone].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/**
 * Chooses the window: `limit` messages of people and agent, and as many tool messages. Between two sentences
 * of the person a working agent writes dozens of remarks and hundreds of tool results, so "the last 20
 * messages" would often contain nothing from the person. Half of the places are therefore reserved for the
 * person; then come the answers that they reacted to (the last message before each of theirs, and the
 * newest), then the newest of the rest. In a simple dialogue these are the last `limit` messages.
 * @param messages oldest first
 * @returns oldest first; the same array if everything fits
 */
export function chooseWindow(messages: Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return messages;
  const spoken = messages.filter((message) => message.role !== 'tool').reverse();
  const chosen = new Set(spoken.filter(({ role }) => role === 'user').slice(0, Math.ceil(limit / 2)));
  const add = (candidates: readonly Message[]): void => {
    for (const message of candidates) if (chosen.size < limit) chosen.add(message);
  };
  const since = spoken.slice(0, spoken.findLastIndex((message) => chosen.has(message)) + 1);
  add(since.filter(({ role }, index) => role !== 'user' && since[index - 1]?.role !== role));
  add(spoken);
  const oldest = messages.findIndex((message) => chosen.has(message));
  const tools = messages.slice(oldest + 1).filter(({ role }) => role === 'tool');
  for (const message of tools.slice(-limit)) chosen.add(message);
  return messages.filter((message) => chosen.has(message)).map(clipTool);
}

const clipTool = (message: Message): Message =>
  message.role === 'tool' && message.content.length > TOOL_TEXT_LIMIT
    ? { ...message, content: cutMiddle(message.content, TOOL_TEXT_LIMIT) }
    : message;

import { jsonText } from '../text/json.ts';
import {
  type AgentSaid,
  type EventPlace,
  type EventSink,
  mayCarryWords,
  type SessionEvent,
} from './event.ts';
import type { Message, ReadOptions, SessionFacts, Sign, Transcript } from './types.ts';

/** Default number of messages in the window. */
const DEFAULT_LIMIT = 20;

/** Longest name of a sender or a tool, in UTF-16 units. */
const LABEL_LIMIT = 200;

type Single =
  | 'id'
  | 'cwd'
  | 'branch'
  | 'model'
  | 'opening'
  | 'tokensUsed'
  | 'contextWindow'
  | 'utcOffsetHours';

/** Builds messages from the events of a transcript, newest first, and knows when the window is complete. */
export class Collector implements EventSink {
  readonly facts: SessionFacts = { compactions: [], entries: [] };
  readonly limit: number;
  /** Messages of the person so far. */
  humans = 0;
  #spoken = 0;
  #aged = false;
  #newest: number | undefined;
  #workingDirectory: string | undefined;
  readonly #messages: Message[] = [];
  readonly #signs: Sign[] = [];
  readonly #skipped = new Map<string, number>();
  /** The text of one answer may be spread over several lines with one id. */
  readonly #answers = new Map<string, Message>();
  /** Results that came before (that is, were written after) the call that names their tool. */
  readonly #unnamed = new Map<string, Message>();
  /** The person's words in a call's result, until the call is known. */
  readonly #claimed = new Map<string, { message: Message; voice: 'answer' | 'rejection' }>();
  readonly #maxAgeMs: number;
  readonly #session: string | undefined;

  constructor(options: ReadOptions) {
    this.limit = options.limit ?? DEFAULT_LIMIT;
    this.#maxAgeMs = options.maxAgeMs ?? Number.POSITIVE_INFINITY;
    this.#session = options.session;
  }

  /** Adds an event, which must be older than the one before. */
  add(event: SessionEvent): void {
    switch (event.type) {
      case 'person': {
        const message = messageOf(event, 'user', event.text);
        if (event.voice !== 'prompt') message.voice = event.voice;
        if (event.call !== undefined && (event.voice === 'answer' || event.voice === 'rejection'))
          this.#claimed.set(event.call, { message, voice: event.voice });
        this.#put(message);
        return;
      }
      case 'agent':
        this.#agent(event);
        return;
      case 'host':
        this.#put(messageOf(event, 'system', event.text));
        return;
      case 'call':
        this.#call(event);
        return;
      case 'result': {
        const message = messageOf(event, 'tool', event.text);
        if (event.tool !== undefined) message.tool = label(event.tool);
        else if (event.call !== undefined) this.#unnamed.set(event.call, message);
        if (event.outcome === 'rejected') this.#sign('rejected', event.timestamp);
        this.#put(message);
        return;
      }
      case 'interrupted':
        this.#sign('interrupted', event.timestamp);
        this.skip(event.reason);
        return;
      case 'plan':
        this.skip('plan from the host');
        return;
      case 'link':
        this.skip('link');
        return;
      case 'title':
      case 'recap':
        return;
      case 'compacted':
        this.facts.compactions.push({
          ...(event.timestamp !== undefined && { timestamp: event.timestamp }),
          ...(event.summary !== undefined && { summary: event.summary }),
        });
        return;
      case 'entry': {
        const { key, data, id, timestamp } = event;
        const own = id.startsWith('@') ? {} : { id };
        this.facts.entries.push({ key, data, ...own, ...(timestamp !== undefined && { timestamp }) });
        return;
      }
      case 'facts':
        this.#workingDirectory ??= event.workingDirectory;
        for (const key of [
          'cwd',
          'branch',
          'model',
          'tokensUsed',
          'contextWindow',
          'utcOffsetHours',
        ] as const)
          this.learn(key, event[key]);
        this.learn('id', event.session);
        return;
      case 'skip':
        this.skip(event.reason, event.count);
        return;
    }
  }

  /** Records a fact of the session unless a newer line has set it. */
  learn<Key extends Single>(key: Key, value: SessionFacts[Key]): void {
    if (value !== undefined) this.facts[key] ??= value;
  }

  /** Counts a line without a message. */
  skip(reason: string, count = 1): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count);
  }

  /** Whether older lines can no longer change the window. */
  get full(): boolean {
    return this.#aged || (this.#spoken >= this.limit && this.humans >= Math.ceil(this.limit / 2));
  }

  /** The window, oldest first. */
  finish(format: string): Transcript {
    const { facts } = this;
    this.learn('cwd', this.#workingDirectory);
    facts.compactions.reverse();
    facts.entries.reverse();
    const session = facts.id ?? this.#session ?? 'unknown';
    for (const message of this.#messages) if (message.session === '') message.session = session;
    const messages = chooseWindow(this.#messages.reverse(), this.limit);
    const skipped = [...this.#skipped].map(([reason, count]) => ({ reason, count }));
    skipped.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
    return { format, messages, facts, signs: this.#signs.reverse(), skipped };
  }

  #agent(event: AgentSaid): void {
    const newer = event.answer === undefined ? undefined : this.#answers.get(event.answer);
    if (newer !== undefined) {
      newer.content = `${event.text}\n${newer.content}`;
      newer.id = event.id;
      if (event.timestamp !== undefined) newer.timestamp = event.timestamp;
      return;
    }
    const message = messageOf(event, 'assistant', event.text);
    if (event.answer !== undefined) this.#answers.set(event.answer, message);
    this.#put(message);
  }

  #call(event: SessionEvent & { type: 'call' }): void {
    const { id, tool, input } = event;
    const message = messageOf(event, 'tool', typeof input === 'string' ? input : jsonText(input));
    const claim = this.#claimed.get(id);
    if (claim !== undefined && !mayCarryWords(claim.voice, tool)) this.#withdraw(claim.message);
    if (tool !== undefined) {
      message.tool = label(tool);
      const result = this.#unnamed.get(id);
      if (result !== undefined) result.tool = message.tool;
    }
    this.#unnamed.delete(id);
    this.#put(message);
  }

  #put(message: Message): void {
    const time = message.timestamp === undefined ? Number.NaN : Date.parse(message.timestamp);
    if (!Number.isNaN(time)) {
      this.#newest = Math.max(this.#newest ?? time, time);
      if (this.#newest - time > this.#maxAgeMs) {
        this.#aged = true;
        return;
      }
    }
    this.#messages.push(message);
    if (message.role === 'tool') return;
    this.#spoken++;
    if (message.role === 'user') this.humans++;
  }

  /** Removes a tool's text that pretended to be the person's words. */
  #withdraw(message: Message): void {
    const index = this.#messages.indexOf(message);
    if (index === -1) return;
    this.#messages.splice(index, 1);
    this.#spoken--;
    this.humans--;
    this.skip('forged words');
  }

  #sign(kind: Sign['kind'], timestamp: string | undefined): void {
    this.#signs.push({ kind, ...(timestamp !== undefined && { timestamp }) });
  }
}

function messageOf(event: EventPlace, role: Message['role'], content: string): Message {
  const message: Message = { id: event.id, role, content, session: event.session ?? '' };
  if (event.sender !== undefined) message.sender = label(event.sender);
  if (event.timestamp !== undefined) message.timestamp = event.timestamp;
  return message;
}

/** A name on one line of limited length: names are foreign text, too. */
function label(name: string): string {
  return name.slice(0, LABEL_LIMIT).replace(/\s+/g, ' ').trim();
}

/** Longest text of a tool message in a window, in UTF-16 units: its head and tail are kept. */
const TOOL_TEXT_LIMIT = 32_768;

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
  const chosen = new Set<Message>();
  const spoken = messages.filter((message) => message.role !== 'tool').reverse();
  if (spoken.length > limit) {
    const take = (candidates: Message[], places: number): void => {
      for (const message of candidates) {
        if (chosen.size >= places) return;
        chosen.add(message);
      }
    };
    const humans = spoken.filter((message) => message.role === 'user').slice(0, Math.ceil(limit / 2));
    take(humans, limit);
    const since = spoken.slice(0, spoken.findLastIndex((message) => chosen.has(message)) + 1);
    const isAnswer = (message: Message, index: number): boolean =>
      message.role !== 'user' && since[index - 1]?.role !== message.role;
    take(since.filter(isAnswer), limit);
    take(spoken, limit);
  } else {
    for (const message of spoken) chosen.add(message);
  }
  const oldest = messages.findIndex((message) => chosen.has(message));
  let tools = limit;
  for (let index = messages.length - 1; index > oldest && tools > 0; index--) {
    const message = messages[index];
    if (message?.role === 'tool') {
      chosen.add(message);
      tools--;
    }
  }
  return messages.filter((message) => chosen.has(message)).map(clipTool);
}

function clipTool(message: Message): Message {
  const { content } = message;
  if (message.role !== 'tool' || content.length <= TOOL_TEXT_LIMIT) return message;
  const half = TOOL_TEXT_LIMIT / 2;
  const left = content.length - TOOL_TEXT_LIMIT;
  const clipped = `${content.slice(0, half)}\n[${left} characters left out]\n${content.slice(-half)}`;
  return { ...message, content: clipped };
}

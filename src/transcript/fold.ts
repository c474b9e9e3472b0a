import { digest } from '../base/text/hash.ts';
import { wordList } from '../base/text/word-list.ts';
import { callFacts } from './calls/index.ts';
import { Conversation } from './conversation.ts';
import {
  type AgentSaid,
  type Call,
  type Compacted,
  mayCarryWords,
  type PersonSaid,
  type Queue,
  type RecordStart,
  type Result,
  type SessionEvent,
} from './event.ts';
import { assignGiven, type Item, isPrompt, type SessionRecord, slim, slimAt } from './record.ts';

/** Calls without a result that are remembered. */
const MOST_PENDING = 40;
/** Texts that are remembered because a host writes them in several forms. */
const MOST_COPIES = 40;
const MOST_QUEUED = 20;
const CHARACTERS_PER_TOKEN = 4;
/** Tool output takes fewer tokens of attention than talk. */
const OUTPUT_CHARACTERS = 40;

/** Events that are about the session, and have no place in the conversation. */
const ABOUT: ReadonlySet<string> = new Set(wordList('facts skip title entry back queue history'));

/** Adds events to a session's record, in the order of the file. */
export class Fold {
  readonly record: SessionRecord;
  #talk: Conversation;
  readonly #root: string;
  readonly #limit: number;
  /** Calls and results that the session has: some hosts write them twice. */
  readonly #calls: Set<string>;
  #sinceSlim = 0;

  /**
   * @param root the workspace: paths inside it are named relative to it
   * @param limit messages of the end of the conversation that are kept with all tool calls; Infinity keeps everything
   */
  constructor(record: SessionRecord, root: string, limit: number) {
    this.record = record;
    this.#root = root;
    this.#limit = limit;
    this.#talk = new Conversation(record);
    this.#calls = new Set(record.entries.flatMap(({ items }) => items.map(keyOf)));
  }

  /** Adds the events of one record of the file. @param at where the record begins */
  take(events: readonly SessionEvent[], at: number): void {
    const start = startOf(events);
    const content = events.filter((event) => event.type !== 'record');
    if (start.id !== undefined || !content.every(({ type }) => ABOUT.has(type))) {
      const replaced = this.#talk.begin(start, at);
      if (replaced === 'known') {
        this.#skip('repeated line');
        return;
      }
      if (replaced.length > 0) this.#skip('older version of a message');
      for (const item of replaced) this.#calls.delete(keyOf(item));
    }
    for (const event of content) if (start.aside !== true || event.type === 'entry') this.#add(event, at);
    if (++this.#sinceSlim >= slimAt(this.#limit)) this.slim();
  }

  /** Leaves out what only the newest part of a conversation is asked for. */
  slim(): void {
    this.#sinceSlim = 0;
    slim(this.record, this.#limit);
    this.#talk = new Conversation(this.record);
  }

  #add(event: SessionEvent, at: number): void {
    const { record } = this;
    if ('timestamp' in event && event.timestamp !== undefined) {
      record.began ??= event.timestamp;
      if (event.timestamp > (record.updated ?? '')) record.updated = event.timestamp;
    }
    switch (event.type) {
      case 'facts': {
        const { type: _, subagent: __, ...facts } = event;
        // Where it was started, and not where it went.
        const cwd = record.facts.cwd ?? event.cwd ?? event.workingDirectory;
        assignGiven(record.facts, { ...facts, cwd });
        break;
      }
      case 'skip':
        this.#skip(event.reason, event.count);
        break;
      case 'person':
        this.#person(event);
        break;
      case 'agent':
        this.#agent(event);
        break;
      case 'call':
        this.#call(event);
        break;
      case 'result':
        this.#result(event);
        break;
      case 'host':
        record.talk += event.text.length / OUTPUT_CHARACTERS;
        this.#talk.put(event);
        break;
      case 'plan':
        this.#skip('plan from the host');
        this.#talk.put(event);
        break;
      case 'interrupted':
        record.pending = [];
        this.#skip(event.reason);
        this.#talk.put(event);
        break;
      case 'compacted':
        this.#compacted(event);
        break;
      case 'error':
        this.#talk.put(event);
        break;
      case 'title':
        if (event.of !== undefined && this.#talk.itemsAt(event.of) === undefined) break;
        if (event.by === 'person' || record.title?.by !== 'person')
          record.title = { text: event.text, by: event.by };
        break;
      case 'entry': {
        const { key, data, id, timestamp } = event;
        const own = id.startsWith('@') ? {} : { id };
        record.ours.push({ key, data, ...own, timestamp });
        break;
      }
      case 'back':
        this.#talk.takeBack(event, at);
        break;
      case 'anew':
        if (event.keepFrom === undefined) record.began = undefined;
        this.#talk.beginAnew(event.keepFrom);
        break;
      case 'history':
        this.#history(event.records, at);
        break;
      case 'queue':
        this.#queue(event);
        break;
      case 'record':
        break;
    }
  }

  #skip(reason: string, count = 1): void {
    const known = this.record.skipped.find((one) => one.reason === reason);
    if (known === undefined) this.record.skipped.push({ reason, count });
    else known.count += count;
  }

  #person(event: PersonSaid): void {
    if (event.call !== undefined && !mayCarryWords(event.voice, this.#toolOf(event.call))) {
      this.#skip('forged words');
      return;
    }
    if (event.voice === 'queued') this.#queued(event);
    else if (this.#isCopy(event)) return;
    this.record.talk += event.text.length / CHARACTERS_PER_TOKEN;
    this.#talk.put(event);
  }

  /** What was typed into the queue is written again when the model gets it. */
  #queued(event: PersonSaid): void {
    const text = digest(event.text.trim());
    const { queued } = this.record;
    const copy = queued.findIndex((one) => one.text === text);
    if (event.way !== 'attachment')
      this.record.queued = [...queued.slice(1 - MOST_QUEUED), { id: event.id, text }];
    else if (copy !== -1) this.#withdraw(queued.splice(copy, 1)[0]?.id ?? '');
  }

  /** Queued words that became a prompt, or that the person took back, do not count twice. */
  #queue({ did, text }: Queue): void {
    const { queued } = this.record;
    const wanted = text === undefined ? 0 : queued.findIndex((one) => one.text === digest(text.trim()));
    const [gone] = wanted === -1 ? [] : queued.splice(wanted, 1);
    if (gone !== undefined && did !== 'delivered') this.#withdraw(gone.id);
  }

  #withdraw(id: string): void {
    const count = this.#talk.remove((item) => item.type === 'person' && item.id === id);
    if (count > 0) this.#skip('second copy of a message', count);
  }

  #agent(event: AgentSaid): void {
    if (this.#isCopy(event)) return;
    this.record.talk += event.text.length / CHARACTERS_PER_TOKEN;
    const earlier =
      event.answer === undefined
        ? undefined
        : this.#talk.findLast((item) => item.type === 'agent' && item.answer === event.answer);
    if (earlier?.type === 'agent') earlier.text = `${earlier.text}\n${event.text}`;
    else this.#talk.put(event);
  }

  /**
   * Codex writes the same words in two or three forms, which have changed over time, as has their order. They were said
   * as often as they occur in the most frequent form.
   */
  #isCopy(event: PersonSaid | AgentSaid): boolean {
    if (event.way === undefined) return false;
    const key = digest(`${event.type} ${event.text}`);
    const { copies } = this.record;
    let met = copies.find((one) => one.key === key);
    if (met === undefined) {
      met = { key, messages: 0, ways: {} };
      this.record.copies = [...copies.slice(1 - MOST_COPIES), met];
    }
    const times = (met.ways[event.way] ?? 0) + 1;
    met.ways[event.way] = times;
    const isCopy = times <= met.messages;
    met.messages = Math.max(times, met.messages);
    if (isCopy) this.#skip('second copy of a message');
    return isCopy;
  }

  /** Whether a call or a result is new. */
  #isNews(event: Call | Result): boolean {
    const key = keyOf(event);
    if (this.#calls.has(key)) return false;
    this.#calls.add(key);
    return true;
  }

  #call(event: Call): void {
    if (!this.#isNews(event)) return;
    this.record.pending = [...this.record.pending.slice(1 - MOST_PENDING), event];
    this.record.talk += JSON.stringify(event.input).length / OUTPUT_CHARACTERS;
    this.#talk.put(event);
  }

  #result(event: Result): void {
    if (!this.#isNews(event)) return;
    const { record } = this;
    const call = record.pending.find(({ id }) => id === event.call);
    record.pending = record.pending.filter((one) => one !== call);
    record.talk += event.text.length / OUTPUT_CHARACTERS;
    const tool = event.tool ?? call?.tool;
    this.#talk.put(tool === undefined ? event : { ...event, tool });
    const { workingDirectory, cwd } = record.facts;
    const facts = callFacts(call, event, { root: this.#root, cwd: workingDirectory ?? cwd });
    // What works is of interest only where something failed before.
    if (facts.failed !== undefined) record.fails = true;
    else if (!record.fails) delete facts.worked;
    const { id, at, timestamp } = event;
    this.#talk.put({ type: 'did', id, at, facts, timestamp });
  }

  #toolOf(id: string): string | undefined {
    const isIt = (item: Item | Call): boolean => item.type === 'call' && item.id === id;
    const call = this.record.pending.find(isIt) ?? this.#talk.findLast(isIt);
    return call?.type === 'call' ? call.tool : undefined;
  }

  /** A boundary and the summary after it are one compaction. */
  #compacted(event: Compacted): void {
    const { summary } = event;
    const open = this.#talk.findLast((item) => item.type === 'compacted' || isPrompt(item));
    if (summary !== undefined && open?.type === 'compacted' && open.summary === undefined)
      open.summary = summary;
    else this.#talk.put({ ...event, at: this.#firstOf(event) });
  }

  /** Where a compaction was: a host that writes its conversation again writes the summary again, too. */
  #firstOf({ id, at }: Compacted): number {
    const items = this.record.entries.flatMap((entry) => entry.items);
    return items.find((item) => item.type === 'compacted' && item.id === id)?.at ?? at;
  }

  /** What the file said before about a message says more than its copy in the list. */
  #history(records: readonly SessionEvent[][], at: number): void {
    const known = records.map((events) => {
      const { id } = startOf(events);
      return { events, id, items: this.#talk.itemsAt(id) ?? [] };
    });
    this.#talk.rewrite(() => {
      for (const { events, id, items } of known) {
        if (items.length === 0) this.take(events, at);
        else this.#talk.append(id, [...items]);
      }
    });
  }
}

const startOf = ([first]: readonly SessionEvent[]): RecordStart =>
  first?.type === 'record' ? first : { type: 'record' };

const keyOf = (item: { type: string; id: string }): string => `${item.type} ${item.id}`;

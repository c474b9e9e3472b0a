import { digest } from '../text/hash.ts';
import { wordList } from '../text/word-list.ts';
import { callFacts } from './calls/index.ts';
import {
  type AgentSaid,
  type Call,
  type Compacted,
  type Facts,
  mayCarryWords,
  type PersonSaid,
  type Queue,
  type RecordStart,
  type Result,
  type SessionEvent,
} from './event.ts';
import { type Did, type Item, isPrompt, type Part, pathOf, type SessionRecord, type Turn } from './record.ts';
import { slim, slimAt } from './slim.ts';

/** Calls without a result that are remembered. */
const MOST_PENDING = 40;
/** Texts that are remembered because a host writes them in several forms. */
const MOST_COPIES = 40;
const MOST_QUEUED = 20;
const CHARACTERS_PER_TOKEN = 4;
/** Tool output takes fewer tokens of attention than talk. */
const OUTPUT_CHARACTERS = 40;

/** Events that are about the session, and have no place in the conversation. */
const ABOUT: ReadonlySet<SessionEvent['type']> = new Set(
  wordList('facts skip title recap entry back queue history') as SessionEvent['type'][],
);

/** Where a record of the file is. */
interface Place {
  turn: Turn;
  n: number;
}

/** Adds events to a session's record, in the order of the file. */
export class Fold {
  readonly record: SessionRecord;
  /** The workspace: paths inside it are named relative to it. */
  readonly #root: string;
  #path: Part[];
  readonly #places = new Map<string, Place>();
  /** Calls and results that the conversation has, by type and id: some hosts write them twice. */
  readonly #calls = new Set<string>();
  /** The record whose events are being added. */
  #turn: Turn | undefined;
  #n = 0;
  #at = 0;
  #sinceSlim = 0;
  readonly #limit: number;

  /**
   * @param limit messages of the end of the conversation that are kept with all tool calls; Infinity keeps everything
   */
  constructor(record: SessionRecord, root: string, limit: number) {
    this.record = record;
    this.#root = root;
    this.#limit = limit;
    this.#path = pathOf(record);
    for (const turn of record.turns) this.#learnPlaces(turn);
  }

  /** Adds the events of one record of the file. @param at where the record begins */
  take(events: readonly SessionEvent[], at: number): void {
    this.#at = at;
    const [first] = events;
    const start: RecordStart = first?.type === 'record' ? first : { type: 'record' };
    const content = events.filter((event) => event.type !== 'record');
    if (start.id === undefined && content.every(({ type }) => ABOUT.has(type))) {
      for (const event of content) this.#add(event);
      return;
    }
    if (!this.#begin(start, content.some(isPrompt))) return;
    for (const event of content) if (start.aside !== true || event.type === 'entry') this.#add(event);
    if (this.#limit !== Number.POSITIVE_INFINITY && ++this.#sinceSlim >= slimAt(this.#limit)) this.slim();
  }

  /** Leaves out what only the newest part of a conversation is asked for. */
  slim(): void {
    this.#sinceSlim = 0;
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    slim(this.record, this.#limit);
    this.#path = pathOf(this.record);
  }

  /** Finds the record's place. @returns false if its events are known already */
  #begin(start: RecordStart, prompts: boolean): boolean {
    const id = start.id === undefined ? undefined : shortId(start.id);
    const known = id === undefined ? undefined : this.#places.get(id);
    if (known !== undefined && start.replaces !== true) {
      this.#skip('repeated line');
      return false;
    }
    if (known !== undefined && this.#holds(known)) {
      for (const item of known.turn.items)
        if (item.n === known.n) this.#calls.delete(`${item.id} ${item.type}`);
      known.turn.items = known.turn.items.filter(({ n }) => n !== known.n);
      this.#skip('older version of a message');
      this.#turn = known.turn;
      this.#n = known.n;
      return true;
    }
    if (start.aside === true) return true;
    this.#continueFrom(start);
    this.#append(id, prompts);
    return true;
  }

  /** The next record of the conversation, in a new turn if the person speaks in it. */
  #append(id: string | undefined, prompts: boolean): void {
    const last = this.#path.at(-1);
    const opens = last === undefined || last.upTo < last.turn.size;
    const turn = opens || (prompts && last.turn.items.length > 0) ? this.#newTurn() : last.turn;
    turn.ids.push(id ?? '');
    this.#turn = turn;
    this.#n = ++turn.size;
    this.#setLeaf();
    if (id !== undefined) this.#places.set(id, { turn, n: this.#n });
  }

  #continueFrom({ parent, soft }: RecordStart): void {
    if (parent === undefined) return;
    if (parent === null) {
      if (this.#path.length > 0) this.#leave(undefined);
      return;
    }
    const place = this.#places.get(shortId(parent));
    // A line of the file was lost: the record continues what is the newest, as the host itself does.
    if (place === undefined || this.#isNewest(place)) return;
    if (soft === true && this.#holds(place) && !this.#hasPromptAfter(place)) return;
    this.#leave(place);
  }

  #newTurn(): Turn {
    const last = this.#path.at(-1);
    const after = last === undefined ? null : { turn: last.index, upTo: last.upTo };
    const turn: Turn = { after, size: 0, ids: [], items: [] };
    this.record.turns.push(turn);
    this.#path.push({ index: this.record.turns.length - 1, turn, upTo: 0 });
    return turn;
  }

  /** The newest turn is the end of the conversation. */
  #setLeaf(): void {
    const part = this.#path.at(-1);
    if (part === undefined) return;
    part.upTo = part.turn.size;
    this.record.leaf = { turn: part.index, upTo: part.upTo };
  }

  /** Takes back everything after a place; everything at all without one. */
  #leave(place: Place | undefined): void {
    const { record } = this;
    record.leaf =
      place === undefined ? null : { turn: record.turns.indexOf(place.turn), upTo: place.n };
    const before = this.#path.flatMap(({ turn }) => turn.items).at(-1);
    this.#path = pathOf(record);
    const newest = this.#path.flatMap(({ turn, upTo }) => turn.items.filter(({ n }) => n <= upTo)).at(-1);
    if (before !== undefined && before !== newest) {
      const rewind = { at: this.#at, to: newest?.at ?? -1 };
      const time = newest?.timestamp;
      record.rewinds = [...record.rewinds.slice(-19), time === undefined ? rewind : { ...rewind, time }];
    }
    this.#calls.clear();
    for (const { turn } of this.#path) this.#learnCalls(turn);
  }

  #isNewest({ turn, n }: Place): boolean {
    const last = this.#path.at(-1);
    return last?.turn === turn && last.upTo === n;
  }

  #holds({ turn, n }: Place): boolean {
    return this.#path.some((part) => part.turn === turn && n <= part.upTo);
  }

  #hasPromptAfter({ turn, n }: Place): boolean {
    const at = this.#path.findIndex((part) => part.turn === turn);
    const after = (item: Item): boolean => isPrompt(item);
    return (
      turn.items.some((item) => item.n > n && after(item)) ||
      this.#path.slice(at + 1).some((part) => part.turn.items.some(after))
    );
  }

  #add(event: SessionEvent): void {
    if ('timestamp' in event && event.timestamp !== undefined) {
      this.record.began ??= event.timestamp;
      if (event.timestamp > (this.record.updated ?? '')) this.record.updated = event.timestamp;
    }
    switch (event.type) {
      case 'record':
        return;
      case 'facts':
        return this.#learn(event);
      case 'skip':
        return this.#skip(event.reason, event.count);
      case 'person':
        return this.#person(event);
      case 'agent':
        return this.#agent(event);
      case 'call':
        return this.#call(event);
      case 'result':
        return this.#result(event);
      case 'host':
        this.record.talk += event.text.length / OUTPUT_CHARACTERS;
        return this.#put(event);
      case 'plan':
        this.#skip('plan from the host');
        return this.#put(event);
      case 'interrupted':
        this.record.pending = [];
        this.#skip(event.reason);
        return this.#put(event);
      case 'compacted':
        return this.#compacted(event);
      case 'link':
        this.#skip('link');
        return this.#put(event);
      case 'error':
        return this.#put(event);
      case 'title':
        if (event.of !== undefined && !this.#places.has(shortId(event.of))) return;
        if (event.by === 'person' || this.record.title?.by !== 'person')
          this.record.title = { text: event.text, by: event.by };
        return;
      case 'recap':
        this.record.recap = {
          text: event.text,
          ...(event.timestamp !== undefined && { at: event.timestamp }),
        };
        return;
      case 'entry': {
        const { key, data, id, timestamp } = event;
        const own = id.startsWith('@') ? {} : { id };
        this.record.entries.push({ key, data, ...own, ...(timestamp !== undefined && { timestamp }) });
        return;
      }
      case 'back':
        return this.#back(event);
      case 'anew':
        return this.#anew(event.keepFrom);
      case 'history':
        return this.#history(event.records);
      case 'queue':
        return this.#queue(event);
    }
  }

  #put(event: Exclude<Item, { n: number }> | (SessionEvent & { id: string; at: number }) | Did): void {
    const turn = this.#turn ?? this.#newTurn();
    const item = { ...event, n: this.#n } as Item;
    const at = turn.items.findLastIndex(({ n }) => n <= item.n);
    turn.items.splice(at + 1, 0, item);
  }

  #learn({ type: _, ...facts }: Facts): void {
    const known = this.record.facts;
    for (const [key, value] of Object.entries(facts)) if (value !== undefined) Object.assign(known, { [key]: value });
  }

  #skip(reason: string, count = 1): void {
    const known = this.record.skipped.find((one) => one.reason === reason);
    if (known === undefined) this.record.skipped.push({ reason, count });
    else known.count += count;
  }

  #person(event: PersonSaid): void {
    if (event.call !== undefined && !mayCarryWords(event.voice, this.#toolOf(event.call)))
      return this.#skip('forged words');
    if (event.voice === 'queued') {
      const copy = this.record.queued.findIndex(({ text }) => text === digest(event.text.trim()));
      if (event.way === 'attachment') {
        // What was typed into the queue is written again when the model gets it.
        if (copy !== -1) this.#withdraw(this.record.queued.splice(copy, 1)[0]?.id ?? '');
      } else {
        const words = { id: event.id, text: digest(event.text.trim()) };
        this.record.queued = [...this.record.queued, words].slice(-MOST_QUEUED);
      }
    } else if (this.#isCopy(event)) return this.#skip('second copy of a message');
    this.record.talk += event.text.length / CHARACTERS_PER_TOKEN;
    this.#put(event);
  }

  /** Queued words that became a prompt, or that the person took back, do not count twice. */
  #queue({ did, text }: Queue): void {
    const { queued } = this.record;
    const wanted = text === undefined ? 0 : queued.findIndex((one) => one.text === digest(text.trim()));
    const [gone] = wanted === -1 ? [] : queued.splice(wanted, 1);
    if (gone !== undefined && did !== 'delivered') this.#withdraw(gone.id);
  }

  #withdraw(id: string): void {
    for (const { turn } of this.#path) {
      const before = turn.items.length;
      turn.items = turn.items.filter((item) => !(item.type === 'person' && item.id === id));
      if (turn.items.length < before) this.#skip('second copy of a message');
    }
  }

  #agent(event: AgentSaid): void {
    if (this.#isCopy(event)) return this.#skip('second copy of a message');
    this.record.talk += event.text.length / CHARACTERS_PER_TOKEN;
    const earlier =
      event.answer === undefined
        ? undefined
        : this.#path
            .slice(-2)
            .flatMap(({ turn }) => turn.items)
            .findLast((item) => item.type === 'agent' && item.answer === event.answer);
    if (earlier?.type === 'agent') earlier.text = `${earlier.text}\n${event.text}`;
    else this.#put(event);
  }

  /**
   * Codex writes the same words in two or three forms, which have changed over time, as has their order. They were said
   * as often as they occur in the most frequent form.
   */
  #isCopy(event: PersonSaid | AgentSaid): boolean {
    if (event.way === undefined || event.type === 'person' && event.voice === 'queued') return false;
    const key = digest(`${event.type} ${event.text}`);
    const { copies } = this.record;
    let met = copies.find((one) => one.key === key);
    if (met === undefined) {
      met = { key, messages: 0, ways: {} };
      this.record.copies = [...copies.slice(1 - MOST_COPIES), met];
    }
    const times = (met.ways[event.way] ?? 0) + 1;
    met.ways[event.way] = times;
    if (times <= met.messages) return true;
    met.messages = times;
    return false;
  }

  #call(event: Call): void {
    const key = `${event.id} call`;
    if (this.#calls.has(key)) return;
    this.#calls.add(key);
    this.record.pending = [...this.record.pending.slice(1 - MOST_PENDING), event];
    this.record.talk += JSON.stringify(event.input).length / OUTPUT_CHARACTERS;
    this.#put(event);
  }

  #result(event: Result): void {
    const key = `${event.id} result`;
    if (this.#calls.has(key)) return;
    this.#calls.add(key);
    const call = this.record.pending.find(({ id }) => id === event.call);
    this.record.pending = this.record.pending.filter((one) => one !== call);
    const tool = event.tool ?? call?.tool;
    this.record.talk += event.text.length / OUTPUT_CHARACTERS;
    this.#put(tool === undefined ? event : { ...event, tool });
    const { workingDirectory, cwd } = this.record.facts;
    const facts = callFacts(call, event, { root: this.#root, cwd: workingDirectory ?? cwd });
    // Of interest only where something failed before.
    if (facts.worked !== undefined && !this.#hasFailed()) delete facts.worked;
    const { id, at, timestamp } = event;
    this.#put({ type: 'did', id, at, facts, ...(timestamp !== undefined && { timestamp }) });
  }

  /** Whether a program was missing, or the like, in this session. */
  #hasFailed(): boolean {
    return this.#path.some(({ turn }) => turn.items.some((item) => item.type === 'did' && item.facts.failed));
  }

  #toolOf(id: string): string | undefined {
    const isIt = (item: Item): boolean => item.type === 'call' && item.id === id;
    const call =
      this.record.pending.find((one) => one.id === id) ??
      this.#path
        .slice(-2)
        .flatMap(({ turn }) => turn.items)
        .findLast(isIt);
    return call?.type === 'call' ? call.tool : undefined;
  }

  /** A boundary and the summary after it are one compaction. */
  #compacted(event: Compacted): void {
    if (event.partial === true) return;
    const open =
      event.summary === undefined
        ? undefined
        : this.#path
            .slice(-2)
            .flatMap(({ turn }) => turn.items)
            .findLast((item) => item.type === 'compacted' || isPrompt(item));
    if (open?.type === 'compacted' && open.summary === undefined && event.summary !== undefined)
      open.summary = event.summary;
    else this.#put(event);
  }

  #back({ turns, from, to }: SessionEvent & { type: 'back' }): void {
    if (turns !== undefined) {
      const prompts = this.#path.filter(({ turn, upTo }) => turn.items.some((item) => item.n <= upTo && isPrompt(item)));
      const first = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined;
      if (first !== undefined) this.#leaveFrom({ turn: first.turn, n: 1 });
    } else if (from !== undefined) {
      const place = this.#places.get(shortId(from));
      // What it took back first is not there: nothing before it counts.
      if (place === undefined) this.#leave(undefined);
      else if (this.#holds(place)) this.#leaveFrom(place);
    } else if (to === null) this.#leave(undefined);
    else if (to !== undefined) {
      const place = this.#places.get(shortId(to));
      if (place !== undefined) this.#leave(place);
    }
  }

  /** Takes back a record and all after it. */
  #leaveFrom({ turn, n }: Place): void {
    if (n > 1) return this.#leave({ turn, n: n - 1 });
    const at = this.#path.findIndex((part) => part.turn === turn);
    const before = this.#path[at - 1];
    this.#leave(before === undefined ? undefined : { turn: before.turn, n: before.upTo });
  }

  #anew(keepFrom: string | undefined): void {
    const place = keepFrom === undefined ? undefined : this.#places.get(shortId(keepFrom));
    const at = place === undefined ? -1 : this.#path.findIndex(({ turn }) => turn === place.turn);
    const kept = place === undefined || at === -1 ? [] : this.#path.slice(at);
    const own = this.#turn?.ids.at(-1);
    this.#leave(undefined);
    for (const { turn, upTo } of kept) {
      const from = turn === place?.turn ? place.n : 1;
      const copy = this.#newTurn();
      copy.ids = turn.ids.slice(from - 1, upTo);
      copy.size = upTo - from + 1;
      copy.items = turn.items
        .filter((item) => item.n >= from && item.n <= upTo)
        .map((item) => ({ ...item, n: item.n - from + 1 }));
      this.#setLeaf();
      this.#learnPlaces(copy);
    }
    // What follows continues this record.
    this.#append(own, true);
  }

  /** What the file said before about a message says more than its copy in the list. */
  #history(records: readonly SessionEvent[][]): void {
    const known = records.map((events) => {
      const [start] = events;
      const place = start?.type === 'record' && start.id !== undefined ? this.#places.get(shortId(start.id)) : undefined;
      return { events, items: place?.turn.items.filter(({ n }) => n === place.n) ?? [] };
    });
    this.#leave(undefined);
    for (const { events, items } of known) {
      const [start] = events;
      const id = start?.type === 'record' ? start.id : undefined;
      if (id !== undefined) this.#places.delete(shortId(id));
      if (items.length === 0) {
        this.take(events, this.#at);
        continue;
      }
      if (!this.#begin(start?.type === 'record' ? start : { type: 'record' }, items.some(isPrompt))) continue;
      for (const item of items) this.#put(item);
    }
  }

  #learnPlaces(turn: Turn): void {
    for (const [index, id] of turn.ids.entries()) if (id !== '') this.#places.set(id, { turn, n: index + 1 });
    if (this.#path.some((part) => part.turn === turn)) this.#learnCalls(turn);
  }

  #learnCalls(turn: Turn): void {
    for (const item of turn.items)
      if (item.type === 'call' || item.type === 'result') this.#calls.add(`${item.id} ${item.type}`);
  }
}

/** Enough of an id to tell the records of one session apart. */
const shortId = (id: string): string => (id.length > 16 ? digest(id) : id);

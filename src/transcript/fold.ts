import { walkUpward } from '../base/fs/index.ts';
import { digestText, makeWordSet } from '../base/text/strings.ts';
import { stripInjections } from '../pad/injection.ts';
import { callFacts } from './calls.ts';
import { listCommandTexts, readTypedWords } from './command-texts.ts';
import {
  type AgentMessageEvent,
  type Call,
  type CompactionEvent,
  type EventPlace,
  type Facts,
  mayCarryWords,
  type PersonMessageEvent,
  type RecordStart,
  type Result,
  type SessionEvent,
} from './event.ts';
import { assignGiven, Conversation, type Item, isPrompt, type SessionRecord } from './record.ts';
import { computeSlimLimit, isTelling, slimRecord } from './slim-record.ts';

const MOST_PENDING = 40;
const CHARACTERS_PER_TOKEN = 4;
/** Of tool output, call inputs and host texts, which take fewer tokens of attention than talk. */
const OUTPUT_CHARACTERS_PER_TOKEN = 40;

/** Events about the session: a record that holds no others, and has no id, begins no entry. */
const ABOUT = makeWordSet('facts skip title entry back history');

type EventOf<Type> = Extract<SessionEvent, { type: Type }>;

export class Fold {
  readonly record: SessionRecord;
  #talk: Conversation;
  readonly #root: string;
  readonly #limit: number;
  /** Calls and results that the session has: some hosts write them twice. */
  readonly #calls: Set<string>;
  #commands: ReturnType<typeof listCommandTexts> | undefined;
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
    this.#calls = new Set(record.entries.flatMap(({ items }) => items.map(makeKey)));
  }

  /** Adds the events of one record of the file; one that holds nothing of the conversation is counted. */
  addRecord(events: readonly SessionEvent[], at: number): void {
    if (events.every(({ type }) => type === 'record' || type === 'facts'))
      this.#countSkipped('record beside the conversation');
    this.addEvents(events, at);
  }

  /** @param at where the record of these events begins */
  addEvents(events: readonly SessionEvent[], at: number): void {
    const start = getStart(events);
    const content = events.filter((event) => event.type !== 'record');

    if (start.id !== undefined || !content.every(({ type }) => ABOUT.has(type))) {
      const replaced = this.#talk.begin(start, at);
      if (replaced === 'known') return;
      for (const item of replaced) this.#calls.delete(makeKey(item));
    }

    // A record aside is outside of the conversation, but may hold an entry of ours.
    for (const event of content)
      if (start.aside !== true || event.type === 'entry') this.#addEvent(event, at);
    if (++this.#sinceSlim >= computeSlimLimit(this.#limit)) this.slim();
  }

  slim(): void {
    this.#sinceSlim = 0;
    slimRecord(this.record, this.#limit);
    this.#talk = new Conversation(this.record);
  }

  #addEvent(event: SessionEvent, at: number): void {
    const { record } = this;
    if ('timestamp' in event && event.timestamp !== undefined) {
      record.began ??= event.timestamp;
      if (event.timestamp > (record.updated ?? '')) record.updated = event.timestamp;
    }

    const add = this.#on[event.type] as (event: SessionEvent, at: number) => void;
    add(event, at);
  }

  readonly #on: { [Type in SessionEvent['type']]: (event: EventOf<Type>, at: number) => void } = {
    record: () => undefined,
    facts: (event) => this.#learnFacts(event),
    skip: ({ reason, count }) => this.#countSkipped(reason, count),
    person: (event) => this.#foldPerson(event),
    agent: (event) => this.#foldAgent(event),
    call: (event) => this.#markSeen(event) && this.#foldCall(event),
    result: (event) => this.#markSeen(event) && this.#foldResult(event),
    host: (event) => this.#foldHost(event),
    plan: (event) => this.#talk.put(event),
    interrupted: (event) => {
      this.record.pending = [];
      this.#talk.put(event);
    },
    error: (event) => this.#talk.put(event),
    compacted: (event) => this.#foldCompaction(event),
    title: (event) => this.#foldTitle(event),
    entry: ({ key, data }) => this.record.ours.push({ key, data }),
    back: (event, at) => this.#talk.takeBack(event, at),
    anew: ({ keepFrom }) => {
      if (keepFrom === undefined) this.record.began = undefined;
      this.#talk.beginAnew(keepFrom);
    },
    history: ({ records, continues }, at) =>
      continues ? this.#addUnknown(records, at) : this.#foldHistory(records, at),
  };

  #learnFacts({ type: _, subagent: __, ...facts }: Facts): void {
    const recordFacts = this.record.facts;
    // Where it was started, and not where it went.
    assignGiven(recordFacts, { ...facts, cwd: recordFacts.cwd ?? facts.cwd ?? facts.workingDirectory });
  }

  #countSkipped(reason: string, count = 1): void {
    const counter = this.record.skipped.find((one) => one.reason === reason);
    if (counter === undefined) this.record.skipped.push({ reason, count });
    else counter.count += count;
  }

  #foldTitle({ text, by, of }: EventOf<'title'>): void {
    const { record } = this;
    if (of !== undefined && this.#talk.itemsAt(of) === undefined) return;
    if (by === 'person' || record.title?.by !== 'person') record.title = { text, by };
  }

  #foldPerson(said: PersonMessageEvent): void {
    const text = stripInjections(said.text);
    if (text.trim() === '' && text !== said.text) return;

    const event = text === said.text ? said : { ...said, text };
    const { call, voice } = event;
    if (call !== undefined && !mayCarryWords(this.record.format, voice, this.#findTool(call))) return;
    if (event.way !== undefined) event.digest = digestText(event.text);
    if (this.#isCopy(event)) return;

    const isTyped = event.voice === 'prompt' || event.voice === 'queued';
    const words = isTyped ? this.#readTyped(event) : event.text;
    if (words !== event.text) this.#foldHost({ ...event, type: 'host' });
    if (words === '' && event.text !== '') return;

    if (isTyped) this.#talk.withdraw(words);
    this.record.talkTokens += words.length / CHARACTERS_PER_TOKEN;
    this.#talk.put({ ...event, text: words });
  }

  /** What the person typed: less than the text where the host has put that of a command in its place. */
  #readTyped({ text, isMarked = false }: PersonMessageEvent): string {
    const { format, facts } = this.record;
    this.#commands ??= listCommandTexts(format, [this.#root, ...walkUpward(facts.cwd ?? this.#root)]);
    const { texts, isWhole } = this.#commands;
    if (!isWhole && !isMarked) return '';
    const typed = texts.flatMap((command) => readTypedWords(text, command) ?? []);
    // What one command leaves over may be another command's text.
    return typed.sort((a, b) => a.length - b.length)[0] ?? text;
  }

  #foldHost(event: EventOf<'host'>): void {
    this.record.talkTokens += event.text.length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#talk.put(event);
  }

  #foldAgent(event: AgentMessageEvent): void {
    if (event.way !== undefined) event.digest = digestText(event.text);
    if (this.#isCopy(event)) return;

    this.record.talkTokens += event.text.length / CHARACTERS_PER_TOKEN;
    const isPart = (item: Item): boolean => item.type === 'agent' && item.answer === event.answer;
    const earlier = event.answer === undefined ? undefined : this.#talk.findLast(isPart);
    if (earlier?.type === 'agent')
      this.#talk.replace(earlier, { ...earlier, text: `${earlier.text}\n${event.text}` });
    else this.#talk.put(event);
  }

  /**
   * Codex writes the same words in two or three forms, which have changed over time, as has their order. Met again in
   * the same form, words were said twice; in another form they are a copy.
   */
  #isCopy(event: PersonMessageEvent | AgentMessageEvent): boolean {
    if (this.#isKept(event)) return true;
    if (event.way === undefined) return false;
    const met = this.#talk.findLast((item) => item.type === event.type && item.digest === event.digest);
    return met?.type === event.type && met.way !== event.way;
  }

  /** After a compaction Claude Code writes kept messages again, with new ids and old times. */
  #isKept({ type, timestamp, text }: PersonMessageEvent | AgentMessageEvent): boolean {
    const compaction = this.#talk.findLast((item) => item.type === 'compacted')?.timestamp;
    if (compaction === undefined || timestamp === undefined || timestamp >= compaction) return false;
    const isSame = (item: Item): boolean =>
      item.type === type && item.timestamp === timestamp && item.text.includes(text);
    return this.#talk.findLast(isSame) !== undefined;
  }

  /** @returns false if the session has the call or result already */
  #markSeen(event: Call | Result): boolean {
    const { size } = this.#calls;
    return this.#calls.add(makeKey(event)).size > size;
  }

  #foldCall(event: Call): void {
    this.record.pending = [...this.record.pending.slice(1 - MOST_PENDING), event];
    this.record.talkTokens += JSON.stringify(event.input).length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#talk.put(event);
  }

  #foldResult(event: Result): void {
    const { record } = this;
    const call = record.pending.find(({ id }) => id === event.call);
    record.pending = record.pending.filter((one) => one !== call);
    record.talkTokens += event.text.length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#talk.put({ ...event, tool: event.tool ?? call?.tool });
    const { workingDirectory, cwd } = record.facts;
    const facts = callFacts(call, event, { root: this.#root, cwd: workingDirectory ?? cwd });
    const { id, at, timestamp } = event;
    if (isTelling(facts)) this.#talk.put({ type: 'did', id, at, facts, timestamp });
  }

  #findTool(id: string): string | undefined {
    const isIt = (item: EventPlace & { type: string }): boolean => item.type === 'call' && item.id === id;
    const call = this.record.pending.find(isIt) ?? this.#talk.findLast(isIt);
    return call?.type === 'call' ? call.tool : undefined;
  }

  #foldCompaction(event: CompactionEvent): void {
    const compaction = this.#talk.findLast((item) => item.type === 'compacted' && item.id === event.id);
    if (compaction !== undefined) return;

    const open = this.#talk.findLast((item) => item.type === 'compacted' || isPrompt(item));
    if (event.summary !== undefined && open?.type === 'compacted' && open.summary === undefined)
      this.#talk.replace(open, { ...open, summary: event.summary });
    else {
      // A host that rewrites its conversation writes the summary again, too: then the first one, which keeps its
      // place, is no longer on the path that `findLast` searches.
      const items = this.record.entries.flatMap((entry) => entry.items);
      const first = items.find((item) => item.type === 'compacted' && item.id === event.id);
      this.#talk.put({ ...event, at: first?.at ?? event.at });
    }
  }

  /** Earlier records of a message say more than its copy in the list. */
  #foldHistory(records: readonly SessionEvent[][], at: number): void {
    const branches = records.map((events) => {
      const { id } = getStart(events);
      return { events, id, items: this.#talk.itemsAt(id) ?? [] };
    });
    this.#talk.rewrite(() => {
      for (const { events, id, items } of branches)
        if (items.length === 0) this.addEvents(events, at);
        else this.#talk.append(id, [...items]);
    });
  }

  /** Of copies with ids of their own only those count whose words the conversation does not have. */
  #addUnknown(records: readonly SessionEvent[][], at: number): void {
    const has = (event: SessionEvent): boolean =>
      (event.type === 'person' || event.type === 'agent') &&
      this.#talk.findLast((item) => item.type === event.type && item.text === event.text) !== undefined;
    for (const events of records) if (!events.some(has)) this.addEvents(events, at);
  }
}

const getStart = ([first]: readonly SessionEvent[]): RecordStart =>
  first?.type === 'record' ? first : { type: 'record' };

const makeKey = (item: { type: string; id: string }): string => `${item.type} ${item.id}`;

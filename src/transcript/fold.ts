import { walkUpward } from '../base/fs/index.ts';
import { cutBlanks, digestText, makeWordSet } from '../base/text/strings.ts';
import { stripInjections } from '../pad/injection.ts';
import { readCallFacts } from './calls.ts';
import { type CommandTexts, listCommandTexts, readTypedWords, toLetters } from './command-texts.ts';
import {
  type AgentMessageEvent,
  type Call,
  type CompactionEvent,
  type EventPlace,
  type Facts,
  mayCarryWords,
  type PersonMessageEvent,
  type Result,
  type RowStart,
  type SessionEvent,
} from './event.ts';
import { assignDefined, Conversation, type Item, isPrompt, isTimer, type SessionRecord } from './record.ts';
import { computeSlimLimit, hasFacts, slimRecord } from './slim-record.ts';

const MOST_PENDING = 40;
const CHARACTERS_PER_TOKEN = 4;
/** The same for tool output, call inputs and texts of the host, which get less attention than talk. */
const OUTPUT_CHARACTERS_PER_TOKEN = 40;

/** Events beside the conversation: a row that holds no others, and has no id, begins no node. */
const BESIDE_CONVERSATION = makeWordSet('facts skip title ourEntry back rewritten');

type EventOf<Type> = Extract<SessionEvent, { type: Type }>;

/** Adds the events of a session file to its record, one after the other. */
export class Fold {
  readonly record: SessionRecord;
  #conversation: Conversation;
  readonly #root: string;
  readonly #limit: number;
  /** Keys of the calls and results that the session has: some hosts write them twice. */
  readonly #keys: Set<string>;
  #commands: CommandTexts | undefined;
  #rowsSinceSlim = 0;

  /**
   * @param root the workspace: paths inside it are named relative to it
   * @param limit messages of the end of the conversation that are kept with all tool calls; Infinity keeps everything
   */
  constructor(record: SessionRecord, root: string, limit: number) {
    this.record = record;
    this.#root = root;
    this.#limit = limit;
    this.#conversation = new Conversation(record);
    this.#keys = new Set(record.entries.flatMap(({ items }) => items.map(makeKey)));
  }

  /** Adds the events of one row of the file; one that holds nothing of the conversation is counted. */
  addRow(events: readonly SessionEvent[], at: number): void {
    if (events.every(({ type }) => type === 'row' || type === 'facts'))
      this.#countSkipped('record beside the conversation');
    this.addEvents(events, at);
  }

  /** @param at where the row of these events begins */
  addEvents(events: readonly SessionEvent[], at: number): void {
    this.#addToTree(events, at);
    if (this.#rowsSinceSlim >= computeSlimLimit(this.#limit)) this.slim();
  }

  #addToTree(events: readonly SessionEvent[], at: number): void {
    this.#rowsSinceSlim += 1;
    const start = getStart(events);
    const content = events.filter((event) => event.type !== 'row');

    if (start.id !== undefined || !content.every(({ type }) => BESIDE_CONVERSATION.has(type))) {
      const { isCopy, replaced = [] } = this.#conversation.begin(start, at);
      if (isCopy) return;
      for (const item of replaced) this.#keys.delete(makeKey(item));
    }

    // A row aside is outside of the conversation, but may hold an entry of ours.
    for (const event of content)
      if (start.aside !== true || event.type === 'ourEntry') this.#addEvent(event, at);
  }

  slim(): void {
    this.#rowsSinceSlim = 0;
    slimRecord(this.record, this.#limit);
    this.#conversation = new Conversation(this.record);
  }

  #addEvent(event: SessionEvent, at: number): void {
    const { record } = this;
    if ('timestamp' in event && event.timestamp !== undefined) {
      record.began ??= event.timestamp;
      if (event.timestamp > (record.updated ?? '')) record.updated = event.timestamp;
    }

    const handle = this.#handlers[event.type] as (event: SessionEvent, at: number) => void;
    const isText = 'text' in event && event.type !== 'result';
    handle(isText ? { ...event, text: cutBlanks(event.text) } : event, at);
  }

  readonly #handlers: { [Type in SessionEvent['type']]: (event: EventOf<Type>, at: number) => void } = {
    row: () => undefined,
    facts: (event) => this.#learnFacts(event),
    skip: ({ reason, count }) => this.#countSkipped(reason, count),
    person: (event) => this.#foldPerson(event),
    agent: (event) => this.#foldAgent(event),
    call: (event) => this.#isNew(event) && this.#foldCall(event),
    result: (event) => this.#isNew(event) && this.#foldResult(event),
    host: (event) => this.#foldHost(event),
    plan: (event) => this.#conversation.put(event),
    interrupted: (event) => {
      this.record.pending = [];
      this.#conversation.put(event);
    },
    error: (event) => this.#conversation.put(event),
    compacted: (event) => this.#foldCompaction(event),
    title: (event) => this.#foldTitle(event),
    ourEntry: ({ key, data }) => this.record.ours.push({ key, data }),
    back: (event, at) => this.#conversation.takeBack(event, at),
    restarted: ({ keepFrom }) => {
      if (keepFrom === undefined) this.record.began = undefined;
      this.#conversation.restart(keepFrom);
    },
    rewritten: ({ rows, continues }, at) =>
      continues ? this.#addUnknown(rows, at) : this.#foldRewritten(rows, at),
  };

  #learnFacts({ type: _, subagent: __, ...facts }: Facts): void {
    const { record } = this;
    // `cwd` is the folder in which the session was started, not the one in which it works now.
    assignDefined(record.facts, { ...facts, cwd: record.facts.cwd ?? facts.cwd ?? facts.workingDirectory });
  }

  #countSkipped(reason: string, count = 1): void {
    const counter = this.record.skipped.find((one) => one.reason === reason);
    if (counter === undefined) this.record.skipped.push({ reason, count });
    else counter.count += count;
  }

  #foldTitle({ text, by, of }: EventOf<'title'>): void {
    const { record } = this;
    if (of !== undefined && this.#conversation.findItems(of) === undefined) return;
    if (by === 'person' || record.title?.by !== 'person') record.title = { text, by };
  }

  #foldPerson(message: PersonMessageEvent): void {
    const text = stripInjections(message.text);
    if (text.trim() === '' && text !== message.text) return;

    const event = { ...message, text };
    const { call, voice } = event;
    if (call !== undefined && !mayCarryWords(this.record.format, voice, this.#findToolName(call))) return;
    if (event.way !== undefined) event.digest = digestText(text);
    if (this.#isCopy(event)) return;

    const isTyped = voice === 'prompt' || voice === 'queued';
    const { words, doubt } = isTyped ? this.#readTyped(event) : { words: text };
    if (words !== text) this.#foldHost({ ...event, type: 'host' });
    if (words === undefined || (words === '' && text !== '')) return;

    if (isTyped) this.#conversation.withdraw(words);
    this.record.talkTokens += words.length / CHARACTERS_PER_TOKEN;
    this.#conversation.put({ ...event, text: words, doubt });
  }

  /**
   * The words that the person typed, without the text that the host put in the place of a command; none if a command that
   * was not read may have put all of it there.
   */
  #readTyped({ text, isMarked = false }: PersonMessageEvent): { words?: string; doubt?: string } {
    const { format, facts } = this.record;
    this.#commands ??= listCommandTexts(format, [this.#root, ...walkUpward(facts.cwd ?? this.#root)]);
    const { texts, doubtful, wholes, knowsAllCommands } = this.#commands;
    if (!knowsAllCommands && !isMarked) return {};
    const typed = texts.flatMap((command) => readTypedWords(text, command) ?? []);
    // The shortest, because the remainder of one command may be another command's text.
    const [words = text] = typed.sort((a, b) => a.length - b.length);
    if (wholes.size > 0 && words !== '' && wholes.has(toLetters(words))) return { words: '' };
    if (isMarked || typed.length > 0) return { words };
    const command = doubtful.find((each) => readTypedWords(text, each) !== undefined);
    return { words, ...(command && { doubt: `perhaps text of the command ${command.name}` }) };
  }

  #foldHost(event: EventOf<'host'>): void {
    this.record.talkTokens += event.text.length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#conversation.put(event);
  }

  #foldAgent(event: AgentMessageEvent): void {
    if (event.way !== undefined) event.digest = digestText(event.text);
    if (this.#isCopy(event)) return;

    const begin = this.#conversation.findLast((item) => isPrompt(item) || isTimer(item));
    if (begin !== undefined && isTimer(begin)) return;

    this.record.talkTokens += event.text.length / CHARACTERS_PER_TOKEN;
    const isPart = (item: Item): boolean => item.type === 'agent' && item.answer === event.answer;
    const earlier = event.answer === undefined ? undefined : this.#conversation.findLast(isPart);
    if (earlier?.type === 'agent')
      this.#conversation.replace(earlier, { ...earlier, text: `${earlier.text}\n${event.text}` });
    else this.#conversation.put(event);
  }

  /**
   * Whether the host has written a message before. Codex writes the same words in two or three forms, in changing order:
   * words in the same form again were said twice, in another form they are a copy.
   */
  #isCopy(event: PersonMessageEvent | AgentMessageEvent): boolean {
    if (this.#isWrittenAgain(event)) return true;
    if (event.way === undefined) return false;

    const { type, digest, way } = event;
    const earlier = this.#conversation.findLast((item) => item.type === type && item.digest === digest);
    return earlier?.type === type && earlier.way !== way;
  }

  /** After a compaction Claude Code writes kept messages again, with new ids and old times. */
  #isWrittenAgain({ type, timestamp, text }: PersonMessageEvent | AgentMessageEvent): boolean {
    const compaction = this.#conversation.findLast((item) => item.type === 'compacted')?.timestamp;
    if (compaction === undefined || timestamp === undefined || timestamp >= compaction) return false;
    const isSame = (item: Item): boolean =>
      item.type === type && item.timestamp === timestamp && item.text.includes(text);
    return this.#conversation.findLast(isSame) !== undefined;
  }

  /** Whether the session does not have a call or result yet; it has it from now on. */
  #isNew(event: Call | Result): boolean {
    const { size } = this.#keys;
    return this.#keys.add(makeKey(event)).size > size;
  }

  #foldCall(event: Call): void {
    this.record.pending = [...this.record.pending.slice(1 - MOST_PENDING), event];
    this.record.talkTokens += JSON.stringify(event.input).length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#conversation.put(event);
  }

  #foldResult(event: Result): void {
    const { record } = this;
    const call = record.pending.find(({ id }) => id === event.call);
    record.pending = record.pending.filter((one) => one !== call);
    record.talkTokens += event.text.length / OUTPUT_CHARACTERS_PER_TOKEN;
    this.#conversation.put({ ...event, tool: event.tool ?? call?.tool });
    const { workingDirectory, cwd } = record.facts;
    const facts = readCallFacts(call, event, { root: this.#root, cwd: workingDirectory ?? cwd });
    const { id, at, timestamp } = event;
    if (hasFacts(facts)) this.#conversation.put({ type: 'did', id, at, facts, timestamp });
  }

  #findToolName(id: string): string | undefined {
    const hasId = (item: EventPlace & { type: string }): boolean => item.type === 'call' && item.id === id;
    const call = this.record.pending.find(hasId) ?? this.#conversation.findLast(hasId);
    return call?.type === 'call' ? call.tool : undefined;
  }

  #foldCompaction(event: CompactionEvent): void {
    const isSame = (item: Item): boolean => item.type === 'compacted' && item.id === event.id;
    if (this.#conversation.findLast(isSame) !== undefined) return;

    const last = this.#conversation.findLast((item) => item.type === 'compacted' || isPrompt(item));
    if (event.summary !== undefined && last?.type === 'compacted' && last.summary === undefined) {
      this.#conversation.replace(last, { ...last, summary: event.summary });
      return;
    }

    // A host that rewrites its conversation writes the summary again. The first one, which is no longer on the path that
    // `findLast` searches, tells the place of the compaction.
    const first = this.record.entries.flatMap(({ items }) => items).find(isSame);
    this.#conversation.put({ ...event, at: first?.at ?? event.at });
  }

  /** Takes the earlier rows of the messages in a rewritten conversation: their copies in it say less. */
  #foldRewritten(rows: readonly SessionEvent[][], at: number): void {
    const branches = rows.map((events) => {
      const { id } = getStart(events);
      return { events, id, items: this.#conversation.findItems(id) ?? [] };
    });
    const newest = branches.findLastIndex(({ items }) => items.length > 0);
    this.#conversation.rewrite(() => {
      for (const [index, { events, id, items }] of branches.entries()) {
        const { talkTokens } = this.record;
        if (items.length === 0) this.#addToTree(events, at);
        else this.#conversation.append(id, [...items]);
        // What was dropped with age was counted when it was new.
        if (index < newest) this.record.talkTokens = talkTokens;
      }
    });
  }

  /** Adds the copies, which have new ids, whose words the conversation does not have yet. */
  #addUnknown(rows: readonly SessionEvent[][], at: number): void {
    const has = (event: SessionEvent): boolean =>
      (event.type === 'person' || event.type === 'agent') &&
      this.#conversation.findLast((item) => item.type === event.type && item.text === event.text) !==
        undefined;
    for (const events of rows) if (!events.some(has)) this.#addToTree(events, at);
  }
}

const getStart = ([first]: readonly SessionEvent[]): RowStart =>
  first?.type === 'row' ? first : { type: 'row' };

const makeKey = (item: { type: string; id: string }): string => `${item.type} ${item.id}`;

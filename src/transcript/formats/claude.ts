import { join } from 'node:path';
import { tryList } from '../../fs/index.ts';
import { type JsonObject, textAt } from '../../text/json.ts';
import { contentText } from '../content.ts';
import type { EventSink, PersonSaid, SessionEvent } from '../event.ts';
import type { Format, FormatReader, Link } from '../format.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';
import { isoTime } from '../time.ts';
import { claudeEvents } from './claude-events.ts';

/** Line types without a session id. */
const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);
/** Most records between a prompt and the one that it continues, if nothing was taken back. */
const NEAR = 60;
/** Most records that a rewind takes back; beyond that the file is read linearly. */
const FAR = 20_000;
/** Ids of the last records, which the next range of the file may continue. */
const ENDS = 50;

/**
 * Claude Code keeps a project's sessions in a folder named after its path, with every other character
 * replaced by a dash.
 */
const claudeHome: Home = {
  sessions(search) {
    const projects = projectsOf(search);
    const { match } = search;
    // Two paths can have the same folder name, and a very long one is cut: the `cwd` in the lines decides.
    const folders = tryList(projects).filter((name) => isProject(name, match.names));
    return folders.flatMap((folder) => filesIn(join(projects, folder), isSession, (cwd) => match.owns(cwd)));
  },
  places: (search) => [
    {
      root: projectsOf(search),
      folder: (parts) => parts.length === 1 && isProject(parts[0] ?? '', search.match.names),
      file: (name, parts) => parts.length === 1 && isSession(name),
    },
  ],
};

/** Claude Code: `~/.claude/projects/<folded cwd>/<session>.jsonl`. */
export const claudeFormat: Format = {
  name: 'claude-code',
  title: 'Claude Code session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record) return false;
    if (BARE_TYPES.has(type)) return true;
    return textAt(record, 'sessionId') !== undefined || ('parentUuid' in record && 'uuid' in record);
  },
  independent: true,
  events: claudeEvents,
  about: (record) => ({
    session: textAt(record, 'sessionId'),
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp),
    subagent: record.isSidechain === true ? 'record' : undefined,
  }),
  home: claudeHome,
  open: (out) => new ClaudeReader(out),
};

class ClaudeReader implements FormatReader {
  readonly #out: EventSink;
  /** A resumed session contains copies of lines. */
  readonly #seen = new Set<string>();
  /** Ids of the records since the person's last prompt, and whether that was found. */
  readonly #ends: string[] = [];
  #complete = false;
  /**
   * The record that a prompt continues, and the records since: taken back if there is another prompt among
   * them.
   */
  #wanted: string | undefined;
  #held: SessionEvent[] = [];
  #heldRecords = 0;
  #heldPrompts = 0;
  /** What happened to queued words, newest first, and queued words that are also in an attachment. */
  readonly #dequeued: string[] = [];
  readonly #delivered: string[] = [];
  #summary: (SessionEvent & { type: 'compacted' }) | undefined;

  constructor(out: EventSink) {
    this.#out = out;
  }

  head(record: JsonObject): void {
    // Where the session was started; later lines follow the agent's `cd`.
    const cwd = textAt(record, 'cwd');
    if (record.isSidechain !== true && cwd !== undefined) this.#out.add({ type: 'facts', cwd });
  }

  take(record: JsonObject, at: number): undefined {
    const id = textAt(record, 'uuid');
    const side = record.isSidechain === true;
    if (id !== undefined && !side) {
      if (this.#seen.has(id)) return this.#add({ type: 'skip', reason: 'repeated line' });
      this.#seen.add(id);
      if (this.#ends.length < ENDS && !this.#complete) this.#ends.push(id);
      this.#meet(id);
    }
    // A file may contain the summaries of other sessions, which the host listed when this one was started.
    if (record.type === 'summary' && !this.#seen.has(textAt(record, 'leafUuid') ?? ''))
      return this.#add({ type: 'skip', reason: 'summary line' });
    if (record.type === 'queue-operation') this.#queue(record);
    const events = claudeEvents(record, at);
    for (const event of events.reverse()) this.#pass(event);
    if (side || record.type !== 'user') return;
    if (events.some((event) => event.type === 'person' && event.voice === 'prompt')) {
      this.#heldPrompts++;
      this.#complete = true;
    }
    const parent = textAt(record, 'parentUuid');
    const typed = !events.some((event) => event.type === 'result');
    if (typed && parent !== undefined && this.#wanted === undefined) this.#want(parent);
  }

  finish(): void {
    this.#release();
    if (this.#summary !== undefined) this.#out.add(this.#summary);
    this.#summary = undefined;
  }

  link(): Link {
    const follows = this.#wanted;
    return { ends: this.#ends, complete: this.#complete, ...(follows !== undefined && { follows }) };
  }

  /**
   * A prompt names the record that it continues. Records between the two were taken back, if there is a
   * prompt among them.
   */
  #want(parent: string): void {
    if (this.#seen.has(parent)) return;
    this.#wanted = parent;
    this.#heldRecords = 0;
    this.#heldPrompts = 0;
  }

  #meet(id: string): void {
    if (this.#wanted === undefined) return;
    this.#heldRecords++;
    if (id === this.#wanted) {
      const takenBack = this.#heldPrompts > 0 ? this.#heldRecords - 1 : 0;
      if (takenBack > 0) {
        this.#held = [];
        this.#out.add({ type: 'skip', reason: 'taken back', count: takenBack });
      }
      this.#release();
      this.#wanted = undefined;
    } else if (this.#heldRecords > (this.#heldPrompts > 0 ? FAR : NEAR)) {
      this.#release();
      this.#wanted = undefined;
    }
  }

  #release(): void {
    for (const event of this.#held) this.#out.add(event);
    this.#held = [];
  }

  #add(event: SessionEvent): undefined {
    if (this.#wanted === undefined) this.#out.add(event);
    else this.#held.push(event);
    return undefined;
  }

  /** A boundary and the summary after it are one compaction. */
  #pass(event: SessionEvent): void {
    if (event.type === 'compacted' && event.partial !== true) {
      if (event.summary !== undefined) {
        this.#summary = event;
        return;
      }
      this.#add(this.#summary === undefined ? event : { ...event, summary: this.#summary.summary ?? '' });
      this.#summary = undefined;
      return;
    }
    if (event.type === 'person' && event.voice === 'queued' && !this.#isNews(event)) {
      this.#add({ type: 'skip', reason: 'second copy of a message' });
      return;
    }
    this.#add(event);
  }

  #queue(record: JsonObject): void {
    const operation = textAt(record, 'operation');
    if (operation === 'popAll') this.#delivered.push(contentText(record.content).trim());
    else if (operation === 'dequeue' || operation === 'remove') this.#dequeued.push(operation);
  }

  /**
   * Queued words that were sent as a prompt later, returned to the person, or written twice do not count
   * again.
   */
  #isNews(event: PersonSaid): boolean {
    if (event.way === 'attachment') {
      this.#delivered.push(event.text.trim());
      return true;
    }
    const became = this.#dequeued.shift();
    const copy = this.#delivered.indexOf(event.text.trim());
    if (copy !== -1) this.#delivered.splice(copy, 1);
    return copy === -1 && became !== 'dequeue';
  }
}

const projectsOf = ({ env, home }: Surroundings): string =>
  join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');

const isSession = (name: string): boolean => name.endsWith('.jsonl') && !name.startsWith('agent-');

/** Whether a project's folder may belong to a workspace with these names. */
function isProject(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => path.replace(/[^a-zA-Z0-9]/g, '-'))
    .some(
      (fold) =>
        name === fold ||
        name.startsWith(`${fold}-`) ||
        (fold.length > 200 && name.startsWith(fold.slice(0, 200))),
    );
}

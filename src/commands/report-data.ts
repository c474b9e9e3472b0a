import { readSource } from '../assembly/source.ts';
import { redactEnd, redactSecrets, redactStart, stripInvisible } from '../base/safety/index.ts';
import { toOneLine } from '../base/text/prose.ts';
import { cutMiddle, shorten } from '../base/text/strings.ts';
import { listMemories } from '../hosts/session-memory.ts';
import { listTold } from '../ledger/ledger.ts';
import { parseRefs } from '../pad/budget.ts';
import { countDone, parseSteps } from '../pad/steps.ts';
import { tryLoadModel } from '../sentiment/model.ts';
import { analyzeMood } from '../sentiment/state.ts';
import { listMoods } from '../sentiment/strategy.ts';
import type { CallOutcome, SessionEvent } from '../transcript/event.ts';
import { makeWindow, readSession } from '../transcript/read.ts';
import { type Item, isPrompt, listItems } from '../transcript/record.ts';
import type { Message } from '../transcript/types.ts';
import { type Invocation, resolveFile } from './invocation.ts';
import { type OpenPad, requirePad } from './open.ts';
import { makeTimeFormatter } from './print.ts';

/** Everything that the page shows; all texts without secrets and invisible characters. */
export interface Report {
  workspace: string;
  about: readonly string[];
  /** What the session was about: its title, else its first prompt; empty if it has none. */
  title: string;
  /** ISO 8601, UTC, as a time of the person, to the second. */
  spell(at: string): string;
  plan: string;
  notes: string;
  refs: readonly string[];
  /** The conversation, oldest first; only the newest parts of a long one, if `isCut`. */
  turns: readonly Turn[];
  isCut: boolean;
  /** Messages, calls and compactions in all, and by kind. */
  events: number;
  counts: { person: number; agent: number; calls: number; failed: number; compactions: number };
  /** When the first and the last of them were, ISO 8601. */
  span: readonly string[];
  told: readonly ToldLine[];
  /** Done steps of the plan after each of its changes. */
  progress: readonly { at: string; done: number; total: number }[];
  /** Tokens in the model's context after each answer, and the most it may have if the host says so. */
  fill: { points: readonly FillPoint[]; limit?: number };
}

interface FillPoint {
  at?: string;
  tokens: number;
  isCut?: boolean;
}

/** What follows one prompt of the person, up to the next; the first may begin without one. */
export interface Turn {
  parts: Part[];
  moods: readonly string[];
}

export type Part =
  | { kind: 'person' | 'agent' | 'host' | 'error'; at?: string; name?: string; text: string }
  | { kind: 'compaction'; at?: string; text: string }
  | { kind: 'calls'; calls: CallView[] };

export interface CallView {
  tool: string;
  input: string;
  outcome?: CallOutcome;
  output: string;
}

interface ToldLine {
  at: string;
  text: string;
}

/** Parts of the conversation that are shown: a browser searches in so many at once. */
const PARTS_SHOWN = 1000;
/** Most UTF-16 units of a message, an output, and an input on its line. */
const MESSAGE = 6000;
const OUTPUT = 3000;
const INPUT = 200;
const TITLE = 160;
/** Turns whose mood is read, newest first, and the messages before each that it is read from. */
const MOODS_READ = 100;
const MOOD_MESSAGES = 40;

/** @throws ScratchpadError `refused` where there is no pad, `usage` for a file that is no session */
export async function readReport(
  call: Invocation,
  opened: OpenPad,
  transcript: string | undefined,
): Promise<Report> {
  const { pad, store, config, workspace } = opened;
  const { exists, spaces } = await pad.store.read();
  requirePad(exists, opened);
  const request = transcript === undefined ? {} : { transcript: resolveFile(transcript, call) };
  const warn = (problem: string): void => call.note(`warning: ${problem}`);
  const source = await readSource(request, workspace.root, config, call.env, warn);
  const session = await readItems(source?.path, workspace.root, source?.transcript.facts.id);

  const formatTime = makeTimeFormatter(config);
  // Zones differ by whole minutes.
  const spell = (at: string): string => `${formatTime(at)}:${at.slice(17, 19)}`;
  const zone = config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Pages are shared, and the account's name is private.
  const { HOME = '' } = call.env;
  const hideHome = (text: string): string => (HOME === '' ? text : text.replaceAll(`${HOME}/`, '~/'));
  const root = hideHome(workspace.root);
  const madeAt = `made ${spell(new Date(pad.now()).toISOString())}, times in ${zone}`;
  const { revisions } = await pad.store.history();

  return {
    ...session,
    workspace: root,
    spell,
    about: [`Session ${store.paths.session}`, root, madeAt, toSafeLine(hideHome(source?.name ?? ''))],
    plan: toSafeText(spaces.plan),
    notes: toSafeText(spaces.notes),
    refs: parseRefs(spaces.refs).map((ref) => toSafeLine(ref)),
    told: listToldLines(store.paths.data, source?.transcript.facts.id),
    progress: revisions
      .filter(({ space }) => space === 'plan')
      .map(({ timestamp, content }) => {
        const steps = parseSteps(content);
        return { at: timestamp, done: countDone(steps), total: steps.length };
      })
      .filter(({ total }) => total > 0),
  };
}

async function readItems(path: string | undefined, root: string, session?: string) {
  const points: FillPoint[] = [];
  let isCut = false;
  const everything = { limit: Number.POSITIVE_INFINITY, mostBytes: Number.POSITIVE_INFINITY };
  const onEvents = (events: readonly SessionEvent[]): void => {
    isCut ||= events.some(({ type }) => type === 'compacted');
    const tokens = events.find((event) => event.type === 'facts' && event.tokensUsed !== undefined);
    if (tokens?.type !== 'facts' || tokens.tokensUsed === undefined) return;
    if (tokens.tokensUsed === points.at(-1)?.tokens) return;

    points.push({ at: events.map(getTime).find(Boolean), tokens: tokens.tokensUsed, isCut });
    isCut = false;
  };
  const options = { root, session, onEvents, ...everything };
  const record = path === undefined ? undefined : (await readSession(path, options)).record;
  const items = record === undefined ? [] : listItems(record).filter(({ type }) => type in SHOWN);
  const counts = countItems(items);
  const times = items.flatMap((item) => getTime(item) ?? []);
  const messages = record === undefined ? [] : makeWindow(record, everything).messages;
  const first = items.find(isPrompt);
  const firstPrompt = first && 'text' in first ? first.text.trimStart() : '';
  // A prompt that is a plan begins with its title.
  const title = record?.title?.text ?? /^#+ +(.+)/.exec(firstPrompt)?.[1] ?? firstPrompt;

  return {
    title: toSafeLine(title, TITLE),
    turns: groupTurns(items.slice(-PARTS_SHOWN), messages),
    isCut: items.length > PARTS_SHOWN,
    events: items.filter(({ type }) => type !== 'result').length,
    counts,
    span: [times[0], times.at(-1)].filter((time) => time !== undefined),
    fill: { points, limit: record?.facts.contextWindow },
  };
}

const getTime = (event: object): string | undefined =>
  'timestamp' in event && typeof event.timestamp === 'string' ? event.timestamp : undefined;

const SHOWN = { person: 1, agent: 1, host: 1, plan: 1, call: 1, result: 1, compacted: 1, error: 1 };

function countItems(items: readonly Item[]): Report['counts'] {
  const count = (isCounted: (item: Item) => boolean): number => items.filter(isCounted).length;
  return {
    person: count(({ type }) => type === 'person'),
    agent: count(({ type }) => type === 'agent'),
    calls: count(({ type }) => type === 'call'),
    failed: count((item) => item.type === 'result' && item.outcome === 'failed'),
    compactions: count(({ type }) => type === 'compacted'),
  };
}

function groupTurns(items: readonly Item[], messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  const calls = new Map<string, CallView>();
  const prompts: { turn: Turn; id: string }[] = [];

  for (const item of items) {
    let turn = turns.at(-1);
    if (turn === undefined || isPrompt(item)) {
      turn = { parts: [], moods: [] };
      turns.push(turn);
      prompts.push({ turn, id: item.id });
    }

    addItem(turn.parts, item, calls);
  }

  const model = tryLoadModel();
  for (const { turn, id } of prompts.slice(-MOODS_READ)) {
    const index = messages.findIndex((message) => message.id === id && message.role === 'user');
    const window = messages.slice(Math.max(0, index + 1 - MOOD_MESSAGES), index + 1);
    if (index >= 0) turn.moods = listMoods(analyzeMood(window, { model }));
  }

  return turns;
}

function addItem(parts: Part[], item: Item, calls: Map<string, CallView>): void {
  const at = getTime(item);

  if (item.type === 'compacted') {
    parts.push({ kind: 'compaction', at, text: cutText(item.summary ?? '', MESSAGE) });
  } else if (item.type === 'call') {
    const input = typeof item.input === 'string' ? item.input : summarizeInput(item.input);
    const view: CallView = {
      tool: toSafeLine(item.tool ?? 'tool', 80),
      input: toSafeLine(input, INPUT),
      output: '',
    };
    calls.set(item.id, view);
    addCall(parts, view);
  } else if (item.type === 'result') {
    const call = item.call === undefined ? undefined : calls.get(item.call);
    const view = call ?? { tool: toSafeLine(item.tool ?? 'tool', 80), input: '', output: '' };
    Object.assign(view, { outcome: item.outcome, output: cutText(item.text, OUTPUT) });
    if (call === undefined) addCall(parts, view);
  } else if ('text' in item && item.type !== 'title') {
    const kind = item.type === 'plan' ? 'person' : item.type;
    const sender = (item.type === 'person' ? item.doubt : undefined) ?? item.sender;
    const name = sender && toSafeLine(sender, 80);
    parts.push({ kind, at, name, text: cutText(item.text, MESSAGE) });
  }
}

function addCall(parts: Part[], view: CallView): void {
  const last = parts.at(-1);
  if (last?.kind === 'calls') last.calls.push(view);
  else parts.push({ kind: 'calls', calls: [view] });
}

/** The value of a call that says most, such as its command or path; else all values. */
function summarizeInput(input: Readonly<Record<string, unknown>>): string {
  const telling = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'name', 'description'];
  const value = telling.map((key) => input[key]).find((each) => typeof each === 'string' && each !== '');
  return typeof value === 'string' ? value : JSON.stringify(input);
}

/** Lines that hooks told the newest window of this session, or of the newest session that was told any. */
function listToldLines(data: string, session: string | undefined): ToldLine[] {
  const memories = listMemories(data).filter(({ memory }) => memory.ledger !== undefined);
  const newest = memories.find((each) => each.session === session) ?? memories[0];
  const ledger = newest?.memory.ledger;
  return ledger === undefined ? [] : listTold(ledger).map(({ at, text }) => ({ at, text: toSafeLine(text) }));
}

const toSafeText = (text: string): string => redactSecrets(stripInvisible(text));

function cutText(text: string, most: number): string {
  const plain = stripInvisible(text);
  return (
    plain.length <= most ? redactSecrets(plain) : cutMiddle(plain, most, redactStart, redactEnd)
  ).trim();
}

const toSafeLine = (text: string, most = Number.POSITIVE_INFINITY): string =>
  shorten(toOneLine(toSafeText(text.slice(0, 40_000))), most);

import { LARGEST, tryReadText } from '../base/fs/index.ts';
import { safeLine } from '../base/safety/index.ts';
import { isObject, type JsonObject, membersOf, numberAt, textAt } from '../base/text/json.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { spillText } from '../entries/spill.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { type HookInput, isCommand, LIMIT, type Recovered } from './protocol.ts';
import type { Session } from './session.ts';

const ORIGIN_CHARACTERS = 120;

/** Fields of a tool's result that are text for the model. */
const TEXTS = new Set(['content', 'text', 'result', 'output', 'stdout', 'llmContent']);

export interface SpillTarget {
  root: string;
  paths: SessionPaths;
  /** The session to name for its entries; none for the primary one. */
  session?: string;
  /** The workspace's, whose entries the session's commands look up by the same names. */
  beside?: SessionPaths;
  /** The model's tool for reading them, if it may not run our commands. */
  readTool?: string;
  now: () => number;
}

type Called = NonNullable<HookInput['tool']>;

/** The preview of a stored output: in the tool's own shape, and as text. */
export interface Shown {
  toolOutput: unknown;
  text: string;
}

type Spill = (text: string, limit: number) => Promise<string | undefined>;

/**
 * Stores a tool's output that is too long for the model as an entry, and returns a replacement in the shape of the
 * original: `{stdout, stderr, …}` for a command in Claude Code, `llmContent` in Gemini CLI, a text in Codex and
 * OpenClaw, the long text inside any other tool's result.
 *
 * @returns `undefined` if the output is short, or contains no long text
 */
export async function spillOutput(
  target: SpillTarget,
  { name, input, response }: Called,
  { output, loss }: Recovered = {},
): Promise<Shown | undefined> {
  const { paths, session, readTool, beside, now } = target;
  const entries = new FileEntries(paths, now);
  const about = isCommand(name)
    ? { origin: `command: ${commandOf(input)}` }
    : { origin: `tool output: ${name}`, autoName: name.replace(/\W+/g, '_').slice(0, 60).toLowerCase() };
  const spill: Spill = async (text, limit) => {
    const others = beside && new FileEntries(beside);
    const done = await spillText(entries, text, { limit, session, readTool, ...about, beside: others });
    return done.entry === null ? undefined : done.text;
  };
  const spoken = typeof response === 'string' ? response : textAt(membersOf(response), 'llmContent');
  if (spoken !== undefined) {
    // An output cut by the host is stored however short the rest is.
    const limit = output === undefined ? LIMIT : Math.min(LIMIT, spoken.length);
    const kept = await spill(output ?? spoken, limit);
    if (kept === undefined) return undefined;
    const text = loss === undefined ? kept : `${kept}${loss}\n`;
    return { toolOutput: text, text };
  }
  if (isObject(response) && isCommand(name)) return spillStreams(response, spill);
  const found = longest(response);
  const text = found && (await spill(found.text, LIMIT));
  return text === undefined
    ? undefined
    : { toolOutput: withTextAt(response, found?.place ?? [], text), text };
}

/** A command's output in Claude Code. */
async function spillStreams(response: JsonObject, spill: Spill): Promise<Shown | undefined> {
  if (response.isImage === true) return undefined;
  const stdout = textAt(response, 'stdout') ?? '';
  const stderr = textAt(response, 'stderr') ?? '';
  const kept = keptByHost(response);
  if (stdout.length + stderr.length <= LIMIT && kept === undefined) return undefined;
  const whole = kept ?? (stderr === '' ? stdout : `${stdout}${stdout.endsWith('\n') ? '' : '\n'}${stderr}`);
  const text = await spill(whole, LIMIT);
  if (text === undefined) return undefined;
  const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response;
  return { toolOutput: { ...rest, stdout: text, stderr: '' }, text };
}

type Place = readonly (string | number)[];

/** The longest text for the model in a tool's result, and its position. Images and other data do not count. */
function longest(value: unknown, place: Place = []): { text: string; place: Place } | undefined {
  if (typeof value === 'string') {
    const key = place.findLast((step) => typeof step === 'string');
    return key === undefined || TEXTS.has(key) ? { text: value, place } : undefined;
  }
  if (typeof value !== 'object' || value === null || place.length > 6) return undefined;
  if ('type' in value && (value.type === 'image' || value.type === 'audio')) return undefined;
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return inner
    .map(([key, member]) => longest(member, [...place, key]))
    .reduce((a, b) => ((b?.text.length ?? -1) > (a?.text.length ?? -1) ? b : a), undefined);
}

function withTextAt(value: unknown, [key, ...rest]: Place, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((each, at) => (at === key ? withTextAt(each, rest, text) : each));
  if (!isObject(value)) return value;
  return { ...value, [key]: withTextAt(value[key], rest, text) };
}

/** The host's own record of an output that it cut. */
function keptByHost(response: JsonObject): string | undefined {
  const path = textAt(response, 'persistedOutputPath');
  if (path === undefined) return undefined;
  const told = numberAt(response, 'persistedOutputSize') ?? 0;
  if (told > LARGEST.argument) return undefined;
  return tryReadText(path, 'argument') || undefined;
}

function commandOf(input: unknown): string {
  const command = textAt(membersOf(input), 'command') ?? 'unknown';
  return safeLine(command, ORIGIN_CHARACTERS);
}

/** Removes outputs that are older, or more, than the settings say. */
export async function pruneOutputs({ config, root, now }: Session): Promise<void> {
  const { keep, size } = config.outputs;
  const { pruneOutputs: prune } = await import('../entries/across-sessions.ts');
  await prune(root, { ageMs: keep, bytes: size * 1_000_000 }, now);
}

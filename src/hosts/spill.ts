import { LARGEST, tryReadText } from '../base/fs/index.ts';
import { safeLine } from '../base/safety/index.ts';
import { isObject, type JsonObject, membersOf, numberAt, textAt } from '../base/text/json.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { spillText } from '../entries/spill.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { type HookInput, LIMIT, type Recovered } from './protocol.ts';
import type { Session } from './session.ts';

const ORIGIN_CHARACTERS = 120;

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
 * Stores a command's output that is too long for the model as an entry, and returns a replacement in the shape of the
 * original: `{stdout, stderr, …}` in Claude Code, a text in the others.
 *
 * @returns `undefined` if the output is short, or no text
 */
export async function spillOutput(
  target: SpillTarget,
  { input, response }: Called,
  { output, loss }: Recovered = {},
): Promise<Shown | undefined> {
  const { paths, session, readTool, beside, now } = target;
  const entries = new FileEntries(paths, now);
  const origin = `command: ${commandOf(input)}`;
  const spill: Spill = async (text, limit) => {
    const others = beside && new FileEntries(beside);
    const done = await spillText(entries, text, { limit, origin, session, readTool, beside: others });
    return done.entry === null ? undefined : done.text;
  };
  const spoken = typeof response === 'string' ? response : textAt(membersOf(response), 'llmContent');
  if (spoken === undefined) return isObject(response) ? spillStreams(response, spill) : undefined;
  // An output cut by the host is stored however short the rest is.
  const limit = output === undefined ? LIMIT : Math.min(LIMIT, spoken.length);
  const kept = await spill(output ?? spoken, limit);
  if (kept === undefined) return undefined;
  const text = loss === undefined ? kept : `${kept}${loss}\n`;
  return { toolOutput: text, text };
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

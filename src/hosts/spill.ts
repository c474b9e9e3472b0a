import { FileEntries } from '../entries/file-entries.ts';
import { automaticName, spillText } from '../entries/spill.ts';
import { LARGEST, tryReadText } from '../fs/index.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { isObject, type JsonObject, numberAt, textAt } from '../transcript/json.ts';
import type { Recovered } from './protocol.ts';

/** Below what the hosts themselves cut: about 30,000 characters of an output. */
const LIMIT = 28_000;
/** A failure's output is cut at about 10,000 by the host; what is recorded has to be worth it. */
const FAILURE_LIMIT = 2000;
const ORIGIN_CHARACTERS = 120;

export interface SpillTarget {
  root: string;
  paths: SessionPaths;
  now: () => number;
}

/**
 * Keeps the output of a command that is too long for the model as an entry, and gives what to
 * show in its place, in the shape that the tool's own output has: `{stdout, stderr, …}` in
 * Claude Code, `llmContent` in Gemini CLI, a text in Codex and OpenClaw.
 *
 * @returns `undefined` when the output is short, or of a shape that is not known
 */
export async function spillOutput(
  target: SpillTarget,
  { input, response }: { input: unknown; response: unknown },
  { output, loss }: Recovered = {},
): Promise<unknown> {
  const entries = new FileEntries(target.paths, target.now);
  const origin = `command: ${commandOf(input)}`;
  const spoken = typeof response === 'string' ? response : textAt(objectOf(response), 'llmContent');
  if (spoken !== undefined) {
    // What the host has cut is kept however short the rest of it is.
    const limit = output === undefined ? LIMIT : Math.min(LIMIT, spoken.length);
    const { text, entry } = await spillText(entries, output ?? spoken, { limit, origin });
    if (entry === null) return undefined;
    return loss === undefined ? text : `${text}${loss}\n`;
  }
  if (!isObject(response) || response.isImage === true) return undefined;
  const stdout = textAt(response, 'stdout') ?? '';
  const stderr = textAt(response, 'stderr') ?? '';
  const kept = keptByHost(response);
  if (stdout.length + stderr.length <= LIMIT && kept === undefined) return undefined;
  const whole = kept ?? (stderr === '' ? stdout : `${stdout}${stdout.endsWith('\n') ? '' : '\n'}${stderr}`);
  const { text, entry } = await spillText(entries, whole, { limit: LIMIT, origin });
  if (entry === null) return undefined;
  const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response;
  return { ...rest, stdout: text, stderr: '' };
}

/** Records the output of a command that failed, as far as the host hands it over; nothing replaces it. */
export async function recordFailure(
  target: SpillTarget,
  { input, response }: { input: unknown; response: unknown },
): Promise<void> {
  if (typeof response !== 'string' || response.length < FAILURE_LIMIT) return;
  const entries = new FileEntries(target.paths, target.now);
  const draft = entries.files.draft();
  try {
    draft.write(Buffer.from(response));
  } catch (error) {
    draft.discard();
    throw error;
  }
  await entries.files.commit(automaticName(), draft, { origin: `failed command: ${commandOf(input)}` });
}

function objectOf(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** What the host wrote down of an output that it was going to cut. */
function keptByHost(response: JsonObject): string | undefined {
  const path = textAt(response, 'persistedOutputPath');
  if (path === undefined) return undefined;
  const told = numberAt(response, 'persistedOutputSize') ?? 0;
  if (told > LARGEST.argument) return undefined;
  return tryReadText(path, 'argument') || undefined;
}

function commandOf(input: unknown): string {
  const command = textAt(isObject(input) ? input : undefined, 'command') ?? 'unknown';
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length <= ORIGIN_CHARACTERS ? line : `${line.slice(0, ORIGIN_CHARACTERS).toWellFormed()}…`;
}

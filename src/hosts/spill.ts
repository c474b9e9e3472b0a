import { tryReadText } from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { getString, isObject, toMembers } from '../base/text/json.ts';
import { countCharacters } from '../base/text/strings.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { makeAutomaticName, spillText } from '../entries/spill.ts';
import { getSessionPaths, nameWorktreeSession, type SessionPaths } from '../session/workspace.ts';
import {
  type HookAnswer,
  type HookInput,
  isCommand,
  LIMIT,
  type OldResult,
  type RecoveredOutput,
} from './protocol.ts';
import type { Session } from './session.ts';

const ORIGIN_CHARACTERS = 120;

const TEXTS = new Set([
  'content',
  'text',
  'result',
  'output',
  'stdout',
  'stderr',
  'llmContent',
  'textResultForLlm',
  'text_result_for_llm',
]);

/**
 * Stores the longest text of a tool's result as an entry if it is too long for the model. The preview takes its place,
 * so that the result keeps the shape that the host knows.
 *
 * @param recovered more of it than the host has passed, which is stored however short the rest is; without it the
 * host's own file is
 * @returns `undefined` if the text is short, or there is none
 */
export async function spillOutput(
  session: Session,
  { name, input, response, file }: NonNullable<HookInput['tool']>,
  { output, loss }: RecoveredOutput,
): Promise<Pick<HookAnswer, 'toolOutput' | 'toolText'> | undefined> {
  const found = findLongestText(response);
  if (found === undefined || toMembers(response).isImage === true) return undefined;

  const about = isCommand(name)
    ? {
        origin: `command: ${sanitizeLine(getString(toMembers(input), 'command') ?? 'unknown', ORIGIN_CHARACTERS)}`,
      }
    : { origin: `tool output: ${name}`, autoName: name.replace(/\W+/g, '_').slice(0, 60).toLowerCase() };

  const { paths, session: sessionId, beside } = findSpillPlace(session);
  const getTime = (): number => session.event.now;
  const whole = output ?? ((file && tryReadText(file, 'argument')) || undefined);
  const { text: toolText, entry } = await spillText(new FileEntries(paths, getTime), whole ?? found.text, {
    ...about,
    limit: whole === undefined ? LIMIT : Math.min(LIMIT, found.text.length),
    session: sessionId,
    readTool: getReadTool(session),
    beside: beside && new FileEntries(beside),
    loss:
      whole === undefined && file ? `[The host has cut this output, and keeps all of it in ${file}]` : loss,
  });

  if (entry === null) return undefined;

  return { toolOutput: removeHostFile(replaceText(response, found.place, toolText)), toolText };
}

/**
 * Stores results of tools that leave the conversation, all in one entry.
 * @returns the call of our tool that reads each, by the id of the result's own call
 */
export async function keepResults(
  session: Session,
  results: readonly OldResult[],
): Promise<Record<string, string>> {
  const { paths, session: sessionId, beside } = findSpillPlace(session);
  const entries = new FileEntries(paths, () => session.event.now);
  const heads = results.map(({ about }) => `=== ${sanitizeLine(about, ORIGIN_CHARACTERS)}\n`);
  const parts = results.map(({ text }, k) => `${heads[k]}${text}\n`);
  const name = makeAutomaticName('results', beside && new FileEntries(beside));
  const stored = await entries.store(name, Buffer.from(parts.join('')), {
    origin: 'results of tools, cut at a compaction',
    owner: sessionId,
  });
  session.afterwards(() => pruneEntries(session));

  const tool = getReadTool(session) ?? 'scratchpad entry read';
  let start = 0;

  return Object.fromEntries(
    results.map(({ id, text }, k) => {
      const offset = start + countCharacters(heads[k] ?? '');
      start += countCharacters(parts[k] ?? '');
      const place = { name: stored.name, session: sessionId, offset, limit: countCharacters(text) };
      return [id, `${tool} ${JSON.stringify(place)}`];
    }),
  );
}

const getReadTool = (session: Session): string | undefined =>
  session.event.tool?.replace('session_scratchpad', 'scratchpad_read');

/** Outputs are stored with the host session that they belong to; its commands look them up beside the workspace's. */
function findSpillPlace({ event, workspace }: Session): {
  paths: SessionPaths;
  session?: string;
  beside?: SessionPaths;
} {
  const { session } = event.input;
  const { root, worktree } = workspace;
  const { primarySession: primary } = event.config;
  const paths = getSessionPaths(root, primary, primary);
  if (session === undefined || session === primary) return { paths };

  const beside = getSessionPaths(root, (worktree && nameWorktreeSession(worktree)) ?? primary, primary);
  try {
    return { paths: getSessionPaths(root, session, primary), session, beside };
  } catch {
    // An id that cannot be one of our sessions.
    return { paths };
  }
}

type JsonPath = readonly (string | number)[];

/** The longest text for the model in a tool's result, and its position. Images and other data do not count. */
function findLongestText(
  value: unknown,
  place: JsonPath = [],
): { text: string; place: JsonPath } | undefined {
  if (typeof value === 'string') {
    const key = place.findLast((step) => typeof step === 'string');
    return key === undefined || TEXTS.has(key) ? { text: value, place } : undefined;
  }

  if (typeof value !== 'object' || value === null || place.length > 6) return undefined;
  if ('type' in value && (value.type === 'image' || value.type === 'audio')) return undefined;

  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);

  return inner
    .map(([key, member]) => findLongestText(member, [...place, key]))
    .reduce((a, b) => ((b?.text.length ?? -1) > (a?.text.length ?? -1) ? b : a), undefined);
}

function replaceText(value: unknown, [key, ...rest]: JsonPath, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? replaceText(each, rest, text) : each));
  if (!isObject(value)) return value;
  return { ...value, [key]: replaceText(value[key], rest, text) };
}

/** Claude Code shows its own file beside the text otherwise. */
function removeHostFile(response: unknown): unknown {
  if (!isObject(response)) return response;
  const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response;
  return rest;
}

/** Removes entries of sessions that are older, or more, than the settings say. */
export async function pruneEntries({ event: { config, now }, workspace }: Session): Promise<void> {
  const { keep, size } = config.outputs;
  const { pruneEntries: prune } = await import('../entries/across-sessions.ts');
  await prune(workspace.root, { ageMs: keep, bytes: size * 1_000_000 }, now);
}

import { tryReadText } from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { getString, isObject, toJsonText, toMembers } from '../base/text/json.ts';
import { countCharacters, formatCount } from '../base/text/strings.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { makeAutomaticName, spillText } from '../entries/spill.ts';
import { getSessionPaths, nameWorktreeSession, type SessionPaths } from '../session/workspace.ts';
import {
  HOOK_OUTPUT_LIMIT,
  type HookAnswer,
  type HookInput,
  isCommand,
  type OldResult,
  type RecoveredOutput,
} from './protocol.ts';
import type { HookSession } from './session.ts';

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
 * Stores a tool's result as an entry if it is too long for the model. A preview takes the place of its longest text, so
 * that the result keeps the shape that the host knows.
 *
 * @param recovered more of the output than the host has passed: it is stored even if it is short enough for the model.
 * Without it the file that the host names is read
 * @returns `undefined` if the text is short, or there is none
 */
export async function spillOutput(
  session: HookSession,
  { name, input, response, file }: NonNullable<HookInput['tool']>,
  { output, loss }: RecoveredOutput,
): Promise<Pick<HookAnswer, 'toolOutput' | 'toolText'> | undefined> {
  const shown = removeHostFile(response);
  const texts = listMembers(shown).filter(({ isText }) => isText);
  const [found] = texts.toSorted((a, b) => b.text.length - a.text.length);
  if (found === undefined || toMembers(response).isImage === true) return undefined;

  const about = isCommand(name)
    ? {
        origin: `command: ${sanitizeLine(getString(toMembers(input), 'command') ?? 'unknown', ORIGIN_CHARACTERS)}`,
      }
    : { origin: `tool output: ${name}`, autoName: name.replace(/\W+/g, '_').slice(0, 60).toLowerCase() };

  const { paths, session: sessionId, beside } = findSpillPlace(session);
  const entries = new FileEntries(paths, { now: () => session.event.now });
  const whole = output ?? ((file && tryReadText(file, 'argument')) || undefined);
  const size = countCharacters(whole ?? texts.map(({ text }) => text).join(''));
  if (
    size <=
    (whole === undefined ? HOOK_OUTPUT_LIMIT : Math.min(HOOK_OUTPUT_LIMIT, countCharacters(found.text)))
  )
    return undefined;

  const result = whole === undefined ? shown : replaceTexts(shown, new Map([[found.place, whole]]));
  const complete = renderMembers(listMembers(result));
  const { text: toolText, entry } = await spillText(entries, complete, {
    ...about,
    limit: 0,
    session: sessionId,
    readTool: getReadTool(session),
    beside: beside && new FileEntries(beside),
    loss:
      whole === undefined && file ? `[The host has cut this output, and keeps all of it in ${file}]` : loss,
  });

  // Other texts stay as long as there is room.
  let room = HOOK_OUTPUT_LIMIT - toolText.length;
  const replaced = new Map([[found.place, toolText]]);
  for (const { text, place } of texts) {
    if (place === found.place) continue;
    if (text.length <= room) room -= text.length;
    else replaced.set(place, `[${formatCount(text.length, 'character')}, in ${entry?.name}]`);
  }

  return { toolOutput: replaceTexts(shown, replaced), toolText };
}

/**
 * Stores results of tools that leave the conversation, all in one entry.
 * @returns the call of our tool that reads each, by the id of the result's own call
 */
export async function keepResults(
  session: HookSession,
  results: readonly OldResult[],
): Promise<Record<string, string>> {
  const { paths, session: sessionId, beside } = findSpillPlace(session);
  const entries = new FileEntries(paths, { now: () => session.event.now });
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

const getReadTool = (session: HookSession): string | undefined =>
  session.event.tool?.replace('session_scratchpad', 'scratchpad_read');

/** Outputs are stored with the host session that they belong to; its commands look them up beside the workspace's. */
function findSpillPlace({ event, workspace }: HookSession): {
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

interface Member {
  place: string;
  text: string;
  isText: boolean;
}

const MOST_DEPTH = 6;
/** What Claude Code adds to each result of a command. */
const USUAL_FLAGS = new Set(['interrupted', 'isImage', 'noOutputExpected']);

/** The parts of a tool's result, such as `exitCode: 2`. Images do not count: they stay in their places. */
function listMembers(value: unknown, place = '', name?: string, depth = 0): Member[] {
  if (typeof value === 'string' && (name === undefined || TEXTS.has(name)))
    return [{ place, text: value, isText: true }];
  if (isObject(value) && (value.type === 'image' || value.type === 'audio')) return [];

  const inner = (depth > MOST_DEPTH || typeof value !== 'object' ? [] : Object.entries(value ?? {}))
    .filter(([key, member]) => !(key === 'type' && member === 'text') && !(!member && USUAL_FLAGS.has(key)))
    .flatMap(([key, member]) =>
      listMembers(member, `${place}/${key}`, Array.isArray(value) ? name : key, depth + 1),
    );
  if (depth === 0 || inner.some(({ isText }) => isText)) return inner;

  const text = typeof value === 'string' ? value : toJsonText(value);
  return ['', 'null', '{}', '[]'].includes(text) ? [] : [{ place, text, isText: false }];
}

const LONG_VALUE = 1000;

/** All of a result: the texts, then its other members. Some hosts give a text again as another member. */
function renderMembers(members: readonly Member[]): string {
  const texts = members.filter(({ text, isText }) => isText && text !== '');
  const isRepeated = (value: string): boolean =>
    value.length > LONG_VALUE && texts.some(({ text }) => text.includes(value));
  const others = members.filter(({ text, isText }) => !isText && !isRepeated(text));

  return [...texts.map(({ text }) => text), ...others.map(({ place, text }) => `${place.slice(1)}: ${text}`)]
    .map((part, index, parts) => (index === parts.length - 1 || part.endsWith('\n') ? part : `${part}\n`))
    .join('');
}

function replaceTexts(value: unknown, texts: ReadonlyMap<string, string>, place = ''): unknown {
  const text = texts.get(place);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return value.map((each, at) => replaceTexts(each, texts, `${place}/${at}`));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceTexts(member, texts, `${place}/${key}`)]),
  );
}

/** Claude Code shows its own file beside the text otherwise. */
function removeHostFile(response: unknown): unknown {
  if (!isObject(response)) return response;
  const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response;
  return rest;
}

/** Removes entries of sessions that are older, or more, than the settings say. */
export async function pruneEntries({ event: { config, now }, workspace }: HookSession): Promise<void> {
  const { keep, size } = config.outputs;
  const { pruneEntries: prune } = await import('../entries/across-sessions.ts');
  await prune(workspace.root, { ageMs: keep, bytes: size * 1_000_000 }, now);
}

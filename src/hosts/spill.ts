import { attempt } from '../base/errors.ts';
import { tryReadText } from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { getString, isObject, toJsonText, toMembers } from '../base/text/json.ts';
import { countCharacters, formatCount, makeWordSet } from '../base/text/strings.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { makeAutomaticName, spillText } from '../entries/spill.ts';
import { getSessionPaths, nameWorktreeSession } from '../session/workspace.ts';
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

/** The names under which hosts have the texts of a result. */
const TEXT_FIELDS = makeWordSet(
  'content text result output stdout stderr llmContent textResultForLlm text_result_for_llm',
);

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
  call: NonNullable<HookInput['tool']>,
  { output, loss }: RecoveredOutput,
): Promise<Pick<HookAnswer, 'toolOutput' | 'toolText'> | undefined> {
  const { response, file } = call;
  const shown = removeHostFile(response);
  const texts = listMembers(shown).filter(({ isText }) => isText);
  const [longest] = texts.toSorted((a, b) => b.text.length - a.text.length);
  if (longest === undefined || toMembers(response).isImage === true) return undefined;

  const whole = output ?? ((file && tryReadText(file, 'argument')) || undefined);
  const isTooLong =
    whole === undefined
      ? countCharacters(texts.map(({ text }) => text).join('')) > HOOK_OUTPUT_LIMIT
      : countCharacters(whole) > Math.min(HOOK_OUTPUT_LIMIT, countCharacters(longest.text));
  if (!isTooLong) return undefined;

  const result = whole === undefined ? shown : replaceTexts(shown, new Map([[longest.place, whole]]));
  const { entries, beside, sessionId } = openSpillEntries(session);
  const { text: preview, entry } = await spillText(entries, renderMembers(listMembers(result)), {
    ...describeOrigin(call),
    limit: 0,
    session: sessionId,
    readTool: getReadTool(session),
    beside,
    loss:
      whole === undefined && file ? `[The host has cut this output, and keeps all of it in ${file}]` : loss,
  });

  // Other texts stay as long as there is room.
  let room = HOOK_OUTPUT_LIMIT - preview.length;
  const replacements = new Map([[longest.place, preview]]);
  for (const { text, place } of texts) {
    if (place === longest.place) continue;
    if (text.length <= room) room -= text.length;
    else replacements.set(place, `[${formatCount(text.length, 'character')}, in ${entry?.name}]`);
  }

  return { toolOutput: replaceTexts(shown, replacements), toolText: preview };
}

function describeOrigin({ name, input }: NonNullable<HookInput['tool']>): {
  origin: string;
  autoName?: string;
} {
  if (!isCommand(name))
    return { origin: `tool output: ${name}`, autoName: name.replace(/\W+/g, '_').slice(0, 60).toLowerCase() };

  const command = getString(toMembers(input), 'command') ?? 'unknown';
  return { origin: `command: ${sanitizeLine(command, ORIGIN_CHARACTERS)}` };
}

/**
 * Stores results of tools that leave the conversation, all in one entry.
 * @returns the call of our tool that reads each, by the id of the result's own call
 */
export async function keepResults(
  session: HookSession,
  results: readonly OldResult[],
): Promise<Record<string, string>> {
  const { entries, beside, sessionId } = openSpillEntries(session);
  const parts = results.map(({ id, about, text }) => ({
    id,
    head: `=== ${sanitizeLine(about, ORIGIN_CHARACTERS)}\n`,
    text,
  }));
  const whole = parts.map(({ head, text }) => `${head}${text}\n`).join('');
  const stored = await entries.store(makeAutomaticName('results', beside), Buffer.from(whole), {
    origin: 'results of tools, cut at a compaction',
    owner: sessionId,
  });
  session.afterwards(() => pruneOutputs(session));

  const tool = getReadTool(session) ?? 'scratchpad entry read';
  const calls: Record<string, string> = {};
  let offset = 0;

  for (const { id, head, text } of parts) {
    offset += countCharacters(head);
    const limit = countCharacters(text);
    calls[id] = `${tool} ${JSON.stringify({ name: stored.name, session: sessionId, offset, limit })}`;
    offset += limit + 1;
  }

  return calls;
}

const getReadTool = (session: HookSession): string | undefined =>
  session.event.tool?.replace('session_scratchpad', 'scratchpad_read');

/** Entries of the host session that outputs belong to; its commands look up those beside them, of the workspace. */
function openSpillEntries({ event, workspace }: HookSession): {
  entries: FileEntries;
  beside?: FileEntries;
  sessionId?: string;
} {
  const { session: sessionId } = event.input;
  const { root, worktree } = workspace;
  const { primarySession: primary } = event.config;
  const open = (session: string): FileEntries =>
    new FileEntries(getSessionPaths(root, session, primary), { now: () => event.now });
  // Some ids cannot be those of our sessions.
  const entries =
    sessionId === undefined || sessionId === primary ? undefined : attempt(() => open(sessionId));
  if (entries === undefined) return { entries: open(primary) };

  const beside = open((worktree && nameWorktreeSession(worktree)) ?? primary);
  return { entries, beside, ...(sessionId === undefined ? {} : { sessionId }) };
}

interface Member {
  place: string;
  text: string;
  isText: boolean;
}

const MOST_DEPTH = 6;
/** Flags that Claude Code adds to each result of a command. */
const USUAL_FLAGS = new Set(['interrupted', 'isImage', 'noOutputExpected']);

/** The parts of a tool's result, such as `exitCode: 2`. Images do not count: they stay in their places. */
function listMembers(value: unknown, place = '', name?: string, depth = 0): Member[] {
  if (typeof value === 'string' && (name === undefined || TEXT_FIELDS.has(name)))
    return [{ place, text: value, isText: true }];
  if (isObject(value) && (value.type === 'image' || value.type === 'audio')) return [];

  const isObvious = (key: string, member: unknown): boolean =>
    (key === 'type' && member === 'text') || (!member && USUAL_FLAGS.has(key));
  const inner = (depth > MOST_DEPTH || typeof value !== 'object' ? [] : Object.entries(value ?? {}))
    .filter(([key, member]) => !isObvious(key, member))
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
  if (Array.isArray(value)) return value.map((each, index) => replaceTexts(each, texts, `${place}/${index}`));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceTexts(member, texts, `${place}/${key}`)]),
  );
}

/** Without the fields that would make Claude Code show its own file beside the preview. */
function removeHostFile(response: unknown): unknown {
  if (!isObject(response)) return response;
  const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response;
  return rest;
}

/** Removes outputs, and entries of ended sessions, older than `outputs.keep`, and the oldest outputs beyond `outputs.size`. */
export async function pruneOutputs({ event: { config, now }, workspace }: HookSession): Promise<void> {
  const { keep, size } = config.outputs;
  const { pruneEntries } = await import('../entries/across-sessions.ts');
  await pruneEntries(workspace.root, { ageMs: keep, bytes: size * 1_000_000 }, now);
}

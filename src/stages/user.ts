import { redactSecrets, toPlainLine } from '../base/safety/index.ts';
import { parseObject } from '../base/text/json.ts';
import { type CommandSpec, isTitle } from '../config/command.ts';
import { SPACE_TITLES } from '../pad/markers.ts';
import { isFileOnly, SECTIONS } from '../pad/sections.ts';
import type { Stage, StageContext } from './stage.ts';

/** Version of a command's input on stdin; it may gain fields (`docs/state.md`). */
const CONTEXT_VERSION = 1;

const DEFAULT_TIMEOUT_MS = 1500;
/** Above suggestions and the last memories, below the first lines of the built-in sections. */
const DEFAULT_PRIORITY = 50;
const MOST_OUTPUT = 16 * 1024;
const LONGEST_MESSAGE = 8000;

/** A command named as a built-in stage replaces it; that of `sentiment` prints a mood for both of its sections. */
export function withCommands(builtIn: readonly Stage[], specs: readonly CommandSpec[]): Stage[] {
  const replace = (stage: Stage): Stage => {
    const spec = specs.find(({ id }) => id === stage.id);
    return spec === undefined ? stage : createCommandStage(spec, stage.title);
  };
  const engine = specs.find(({ id }) => id === 'sentiment');
  const isMoodStage = ({ id }: Stage): boolean => id === 'sentiment' || id === 'strategy';
  const replaced = builtIn.map((stage) => {
    if (engine === undefined || !isMoodStage(stage)) return replace(stage);
    const timed = { ...stage, timeoutMs: engine.timeoutMs ?? DEFAULT_TIMEOUT_MS };
    return stage.id === 'sentiment' ? timed : replace(timed);
  });

  const added = specs.filter(({ id }) => builtIn.every((stage) => stage.id !== id));

  return [...replaced, ...added.map((spec) => createCommandStage(spec, getTitle(spec)))];
}

const getTitle = ({ id, title = makeTitle(id) }: CommandSpec): string =>
  isOurs(title) ? `${title} (${id})` : title;

/** @throws Error with a one-line message */
export function runStageCommand(
  spec: CommandSpec,
  context: StageContext,
  limit: { ms?: number; signal?: AbortSignal } = {},
): Promise<string> {
  const { ms = spec.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal } = limit;
  const limits = { timeoutMs: ms, signal, maxOutput: MOST_OUTPUT };
  return context.runCommand(spec, JSON.stringify(buildStageInput(context, spec.id)), limits);
}

const OURS = new Set(
  [...SECTIONS.map(({ title }) => title), ...Object.values(SPACE_TITLES)].map((title) => title.toLowerCase()),
);
const isOurs = (title: string): boolean => OURS.has(title.toLowerCase());

function createCommandStage(spec: CommandSpec, title: string): Stage {
  const priority = spec.priority ?? DEFAULT_PRIORITY;
  const timeoutMs = spec.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    id: spec.id,
    tells: 'all',
    title,
    priority,
    timeoutMs,
    async run(context, limit) {
      const output = readSectionOutput(await runStageCommand(spec, context, limit));
      const { title: printed = '' } = output;
      // A command may name its section, but not like one of ours.
      const mayName = spec.title === undefined && !isOurs(title) && isTitle(printed) && !isOurs(printed);
      const heading = mayName ? printed : undefined;

      return {
        title: heading,
        // The first lines matter most.
        lines: output.lines.map((text, index) => ({
          text,
          priority: Math.max(0, priority - index * 2),
          why: `said by the command of ${spec.key}`,
          inject: isFileOnly(title)
            ? undefined
            : { key: `stage:${spec.id}:${index}`, text: `${heading ?? title}: ${text.slice(2)}` },
        })),
      };
    },
  };
}

/** `build_status` -> `Build status`. */
const makeTitle = (id: string): string =>
  `${id[0]?.toUpperCase() ?? ''}${id.slice(1).replace(/[-_]+/g, ' ')}`;

/** The command's input. It does not include the mood, which goes only from the transcript to the block. */
function buildStageInput(context: StageContext, stage: string): unknown {
  const { workspace, local, facts, messages, spaces, previous } = context;
  return {
    scratchpad: CONTEXT_VERSION,
    stage,
    workspace,
    session: facts?.id ?? null,
    now: local.iso,
    utcOffsetMinutes: local.offsetMinutes,
    messages: messages.map(({ role, content, sender, timestamp }) => ({
      role,
      content: content.slice(0, LONGEST_MESSAGE),
      sender: sender ?? null,
      timestamp,
    })),
    spaces,
    previous: (previous?.sections.find((section) => section.id === stage)?.lines ?? []).map(
      ({ text }) => text,
    ),
  };
}

const MOST_LINES = 12;
const LINE_CHARACTERS = 200;
const LONGEST_LINE = 4000;

/**
 * The lines of a section from a command's output: JSON (`{"title", "lines": […]}`), else one per line.
 * Each becomes one plain list item without secrets or structure.
 * @throws Error if it begins like a JSON object but is not one, or has no lines
 */
export function readSectionOutput(output: string): { title?: string; lines: string[] } {
  const { title, lines } = readLines(output.trim());
  // Redacted before it is cut, because a secret is recognised by its context.
  const safe = redactSecrets(lines.map((line) => line.slice(0, LONGEST_LINE)).join('\n')).split('\n');
  const plain = safe
    .map((text) => toPlainLine(text.replace(/^\s*(?:[-*+•]\s+)?/, ''), LINE_CHARACTERS))
    .filter((text) => text !== '')
    .slice(0, MOST_LINES)
    .map((text) => `- ${text}`);

  return { title, lines: plain };
}

function readLines(output: string): { title?: string; lines: string[] } {
  if (!output.startsWith('{')) return { lines: output.split('\n') };

  const value = parseObject(output);
  if (value === undefined) throw new Error('its output begins like JSON but is not valid JSON');

  const { title, lines } = value;
  if (!Array.isArray(lines) || !lines.every((line): line is string => typeof line === 'string'))
    throw new Error('its JSON is not {"title": "…", "lines": ["…"]}');

  return { title: typeof title === 'string' ? title : undefined, lines };
}

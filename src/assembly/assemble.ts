import { getMessage } from '../base/errors.ts';
import { withTimeout } from '../base/fs/process.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import type { Config } from '../config/settings.ts';
import { renderState } from '../pad/sections.ts';
import { estimateTokens } from '../pad/tokens.ts';
import type { KeptSection, KeptState, StageStatus } from '../session/state-file.ts';
import { createStageContext } from '../stages/context.ts';
import { STAGES } from '../stages/index.ts';
import type { ContextInput, Section, SectionLine, Stage, StageContext } from '../stages/stage.ts';
import { withCommands } from '../stages/user.ts';

const TURNED_OFF = 'turned off in the config';
const NOTHING_TO_SAY = 'nothing to say';

export interface StageReport {
  id: string;
  title: string;
  status: StageStatus;
  /** Why it failed or was skipped, or what it could not read. */
  reason?: string;
  /** Whether a person should know the reason. */
  faulty?: true;
  lines: SectionLine[];
  dropped: SectionLine[];
  /** The time of lines that are reused from an earlier block, ISO 8601. */
  since?: string | undefined;
}

export interface Assembly {
  /** The text between the state markers. */
  block: string;
  tokens: number;
  /** ISO 8601 with offset. */
  updated: string;
  expires: string;
  ttlMs: number;
  stages: StageReport[];
  /** Id of the host's session that was read. */
  from?: string;
}

export interface AssembleInput extends ContextInput {
  config: Config;
  /** How long the block counts as fresh, in milliseconds; default: from the config. */
  ttlMs?: number | undefined;
  /** Replaces the built-in stages. */
  stages?: readonly Stage[];
}

/**
 * Runs the stages in parallel and fits their lines into the token budget. Reads only. A stage that throws or
 * hangs costs only its own section. The same input, clock and config give the same bytes.
 */
export async function assemble(input: AssembleInput): Promise<Assembly> {
  return (await startAssembly(input, () => false)).complete();
}

/**
 * Runs a part of the stages, by default those that have lines for a model, which waits for them.
 * @param isFirst whether to run a stage now; one that tells a model only a part of its lines runs again for the file
 */
export async function startAssembly(
  input: AssembleInput,
  isFirst: (stage: Stage) => boolean = ({ tells }) => tells !== undefined,
) {
  const ttlMs = input.ttlMs ?? input.config.ttl;
  const context = createStageContext(input);
  const stages = input.stages ?? withCommands(STAGES, input.config.stages.user);
  const run = async (stage: Stage, forModel: boolean): Promise<StageReport> =>
    input.config.stages.off.includes(stage.id)
      ? reportEmpty(stage, 'skipped', TURNED_OFF)
      : runStage(stage, { ...context, forModel }, ttlMs, input.withinMs);
  const first = new Map(
    await Promise.all(stages.filter(isFirst).map(async (stage) => [stage, await run(stage, true)] as const)),
  );

  const complete = async (): Promise<Assembly> => {
    const reports = await Promise.all(
      stages.map(async (stage) =>
        keepReadLines((stage.tells === 'all' && first.get(stage)) || (await run(stage, false)), stage, input),
      ),
    );

    return composeAssembly(input, context.local.iso, ttlMs, reports);
  };

  return { stages: [...first.values()], complete };
}

function composeAssembly(
  input: AssembleInput,
  updated: string,
  ttlMs: number,
  reports: StageReport[],
): Assembly {
  const { maxTokens } = input.config.state;
  const render = (sections: readonly KeptSection[]): string => renderState(sections, { updated, ttlMs });
  let [budget, block, tokens] = [maxTokens, '', 0];

  // A block may have more tokens than its lines together; then the next try has a smaller budget.
  do {
    fitToBudget(reports, render([]), budget);
    block = render(listSections(reports));
    tokens = estimateTokens(block);
    budget -= tokens - maxTokens;
  } while (tokens > maxTokens && reports.some(({ lines }) => lines.length > 0));

  return {
    block,
    tokens,
    updated,
    expires: input.clock(input.now + ttlMs).iso,
    ttlMs,
    stages: reports,
    from: input.from,
  };
}

/** The part of an assembly that is stored: the sections from which the block is rendered. */
export function toKeptState({ updated, expires, ttlMs, stages }: Assembly): KeptState {
  return { updated, expires, ttlMs, sections: listSections(stages) };
}

function reportEmpty({ id, title }: Stage, status: 'skipped' | 'failed', reason: string): StageReport {
  const report: StageReport = { id, title, status, reason, lines: [], dropped: [] };
  return status === 'failed' ? { ...report, faulty: true } : report;
}

async function runStage(
  stage: Stage,
  context: StageContext,
  ttlMs: number,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<StageReport> {
  try {
    const section = await runWithin(stage, context, Math.min(stage.timeoutMs, withinMs));
    const problems = section?.problems?.join('; ') ?? '';
    if (!section || section.lines.length === 0)
      return problems === ''
        ? reportEmpty(stage, 'skipped', NOTHING_TO_SAY)
        : reportEmpty(stage, 'failed', problems);

    const { id, priority } = stage;
    const lines = section.lines.map((line) => checkLine(line, priority));
    const report: StageReport = { id, title: section.title ?? stage.title, status: 'ok', lines, dropped: [] };
    return problems === '' ? report : { ...report, reason: problems, faulty: true };
  } catch (error) {
    return reuseLastSection(stage, context, ttlMs, getMessage(error));
  }
}

async function runWithin(stage: Stage, context: StageContext, limitMs: number): Promise<Section | null> {
  const stop = new AbortController();
  const running = stage.run(context, { ms: limitMs, signal: stop.signal });
  if (running === null || 'lines' in running) return running;

  return withTimeout(running, limitMs, () => {
    stop.abort();
    throw new Error(`no answer within ${limitMs} ms`);
  });
}

/** The last section of a stage that failed, marked with its age, if that is within the TTL. */
function reuseLastSection(stage: Stage, context: StageContext, ttlMs: number, reason: string): StageReport {
  const { id, title, priority } = stage;
  const before = context.previous?.sections.find((section) => section.id === id);
  const since = before?.since ?? context.previous?.updated;
  const age = context.now - Date.parse(since ?? '');
  const earlierLines = (before?.lines ?? []).filter(({ text }) => text !== renderStaleLine(before?.since));

  const isFresh = age >= 0 && age < ttlMs;
  if (earlierLines.length === 0 || !isFresh) return reportEmpty(stage, 'failed', reason);

  const why = `reused the last good section: ${reason}`;
  const lines: SectionLine[] = earlierLines.map((line) => ({ ...line, priority, why }));

  // Without the mark old lines would pass for new ones.
  lines.push({ text: renderStaleLine(since), priority: priority + 1, why });

  const lastTitle = before?.title ?? title;
  return { id, title: lastTitle, status: 'stale', reason, faulty: true, lines, dropped: [], since };
}

/** The lines that are read from messages alone, by section. */
const READ_LINES = new Map([
  ...['sentiment', 'strategy', 'routing'].map((id) => [id, ''] as const),
  ['context', '- Last topic: '],
]);

/** Adds what the last assembly read from messages, while that is fresh, if this one has none: a timer has no conversation. */
function keepReadLines(report: StageReport, { priority }: Stage, input: AssembleInput): StageReport {
  const { messages, facts, previous, now } = input;
  const before = previous?.sections.find(({ id }) => id === report.id);
  const start = READ_LINES.get(report.id);
  if (messages.length > 0 || facts || !previous || !before || start === undefined) return report;

  const since = before.since ?? previous.updated;
  const age = now - Date.parse(since);
  const lines = before.lines.filter(({ text }) => text.startsWith(start));
  if (lines.length === 0 || age < 0 || age >= previous.ttlMs || report.reason === TURNED_OFF) return report;

  const kept = lines.map((line) => ({ ...line, priority, why: 'from the messages of the last assembly' }));
  return { ...report, status: 'ok', since, lines: [...report.lines, ...kept] };
}

const renderStaleLine = (since: string | undefined): string => `- Stale: as of ${since}`;

/** The last check before a line is written or shown: one plain line, whatever the stage returned. */
function checkLine(line: SectionLine, defaultPriority: number): SectionLine {
  const { text, why, inject, priority = defaultPriority, step, ofSpaces, branch } = line;
  const bullet = text.startsWith('- ') ? '- ' : '';
  const words = text.slice(bullet.length);
  return {
    text: bullet + sanitizeLine(words),
    priority,
    why,
    step: step && sanitizeLine(step),
    ofSpaces,
    branch: branch && sanitizeLine(branch),
    inject: inject && { ...inject, text: sanitizeLine(inject.text ?? words) },
  };
}

function listSections(reports: readonly StageReport[]): KeptSection[] {
  return reports
    .filter(({ lines }) => lines.length > 0)
    .map(({ id, title, lines, since }) => {
      const storedLines = lines.map(({ text, step, ofSpaces, branch }) => ({ text, step, ofSpaces, branch }));
      return { id, title, since, lines: storedLines };
    });
}

interface BudgetedLine {
  title: string;
  lines: SectionLine[];
  dropped: SectionLine[];
}

/**
 * Leaves out whole lines until a block fits its budget. Lines are taken by priority, then by order; when one
 * no longer fits, shorter lines of lower priority may still be taken.
 * @param frame the text of the block apart from its sections
 * @param budget estimated tokens
 */
export function fitToBudget(sections: readonly BudgetedLine[], frame: string, budget: number): void {
  const lines = sections.flatMap((section) =>
    section.lines.map((line) => ({ section, line, priority: line.priority ?? 0 })),
  );
  lines.sort((a, b) => b.priority - a.priority);
  const chosen = new Set<SectionLine>();
  const opened = new Set<BudgetedLine>();
  let left = budget - countLineTokens(frame);

  for (const { section, line } of lines) {
    const heading = opened.has(section) ? 0 : countLineTokens('') + countLineTokens(`## ${section.title}`);
    const cost = heading + countLineTokens(line.text);
    if (cost > left) continue;

    left -= cost;
    chosen.add(line);
    opened.add(section);
  }

  for (const section of sections) {
    section.dropped.push(...section.lines.filter((line) => !chosen.has(line)));
    section.lines = section.lines.filter((line) => chosen.has(line));
  }
}

const countLineTokens = (line: string): number => estimateTokens(`${line}\n`);

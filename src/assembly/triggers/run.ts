import { inShort } from '../../base/errors.ts';
import type { Pad } from '../../core/context.ts';
import { type AssembleRequest, assembleAndStore } from '../assemble-pad.ts';
import { recordTrigger } from './record.ts';

/** A session, opened again for each run so that changed settings apply. */
export interface OpenedPad {
  pad: Pad;
  /** Directory of the session's journal. */
  dir: string;
  /** Problems in the config files, one line each. */
  problems: readonly string[];
}

/** The result of a run. */
export interface RunReport {
  /** The session that was read. */
  source: string | null;
  messages: number;
  tokens: number;
  /** ISO 8601 with offset. */
  expires: string;
  ttlMs: number;
  stages: Record<string, string>;
  /** What a person should know: failed stages, unreadable stores, invalid settings. */
  problems: string[];
  ms: number;
}

/**
 * Assembles for a trigger, and records the result for `status`.
 * @throws what the assembly throws, which is recorded too
 */
export async function runTrigger(
  { pad, dir, problems: settings }: OpenedPad,
  trigger: string,
  request: AssembleRequest,
): Promise<RunReport> {
  const from = performance.now();
  const ms = (): number => Math.round(performance.now() - from);
  const at = new Date().toISOString();
  const problems = [...settings];
  try {
    const { assembly, source, notices } = await assembleAndStore(pad, {
      ...request,
      onProblem: (problem) => problems.push(problem),
    });
    for (const { id, status, reason, faulty } of assembly.stages)
      if (faulty) problems.push(`stage ${id} ${status}: ${reason ?? ''}`);
    problems.push(...notices);
    const outcome = [`${assembly.tokens} tokens`, ...problems].join('; ');
    recordTrigger(dir, { trigger, at, outcome, ms: ms() }, problems.length > 0);
    return {
      source: source?.name ?? null,
      messages: source?.transcript.messages.length ?? 0,
      tokens: assembly.tokens,
      expires: assembly.expires,
      ttlMs: assembly.ttlMs,
      stages: Object.fromEntries(assembly.stages.map(({ id, status }) => [id, status])),
      problems,
      ms: ms(),
    };
  } catch (error) {
    recordTrigger(dir, { trigger, at, outcome: inShort(error), ms: ms() }, true);
    throw error;
  }
}

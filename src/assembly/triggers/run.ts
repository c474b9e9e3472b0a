import type { Pad } from '../../core/context.ts';
import type { Assembly, StageReport } from '../assemble.ts';
import { type AssembleRequest, assembleAndStore } from '../assemble-pad.ts';
import { recordRun } from './record.ts';

/** A session, opened again for each run so that changed settings apply. */
export interface TriggerPad {
  pad: Pad;
  paths: { dir: string; pad: string };
  problems: readonly string[];
}

/** What a long-running trigger needs from its caller. */
export interface TriggerOptions<Event> {
  open: () => Promise<TriggerPad>;
  tell: (event: Event) => void;
  /** Throws if the lock that makes this the only instance was lost. */
  check: () => void;
  signal: AbortSignal;
}

export interface RunReport extends Pick<Assembly, 'tokens' | 'expires' | 'ttlMs'> {
  source: string | null;
  messages: number;
  stages: Record<string, string>;
  /** What a person should know: failed stages, unreadable stores, invalid settings. */
  problems: string[];
  ms: number;
}

export const listFaults = (stages: readonly StageReport[]): string[] =>
  stages.flatMap(({ id, status, reason = '', faulty }) =>
    faulty ? [`stage ${id}${status === 'ok' ? '' : ` ${status}`}: ${reason}`] : [],
  );

/** Assembles for a trigger, and records the result for `status`. @throws what the assembly throws, which is recorded too */
export async function runTrigger(
  { pad, paths, problems: settings }: TriggerPad,
  trigger: string,
  request: AssembleRequest,
): Promise<RunReport> {
  const problems = [...settings];
  const { outcome: _, ...report } = await recordRun(paths.dir, trigger, async () => {
    const { assembly, source, notices } = await assembleAndStore(pad, {
      ...request,
      onProblem: (problem) => problems.push(problem),
    });
    problems.push(...listFaults(assembly.stages), ...notices);
    return {
      outcome: `${assembly.tokens} tokens`,
      source: source?.name ?? null,
      messages: source?.transcript.messages.length ?? 0,
      tokens: assembly.tokens,
      expires: assembly.expires,
      ttlMs: assembly.ttlMs,
      stages: Object.fromEntries(assembly.stages.map(({ id, status }) => [id, status])),
      problems,
    };
  });

  return report;
}

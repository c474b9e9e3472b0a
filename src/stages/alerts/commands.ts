import { readSectionOutput } from '../section-output.ts';
import type { StageContext, StageLimit } from '../stage.ts';
import type { Alert } from './alert.ts';

const MOST_LINES = 3;
const DEFAULT_TIMEOUT_MS = 1500;
const MOST_OUTPUT = 16 * 1024;
/** What is left for the other alerts when a command of the user's takes as long as it may. */
const RESERVE_MS = 150;
/** Somebody took the trouble to have it looked after: as urgent as what is due today. */
const IN_HOURS = 3;

/** What the commands of `alerts.commands` say, each line an alert. One that fails costs its own lines only. */
export async function commandAlerts(
  { workspace, local, config, runCommand }: StageContext,
  limit: StageLimit,
  problems: string[],
): Promise<Alert[]> {
  const atMost = Math.max(1, limit.ms - RESERVE_MS);
  const input = JSON.stringify({ scratchpad: 1, workspace, now: local.iso });
  const said = await Promise.all(
    config.alerts.commands.map(async (spec) => {
      try {
        const timeoutMs = Math.min(spec.timeoutMs ?? DEFAULT_TIMEOUT_MS, atMost);
        const output = await runCommand(spec, input, {
          timeoutMs,
          signal: limit.signal,
          maxOutput: MOST_OUTPUT,
        });
        return readSectionOutput(output)
          .lines.slice(0, MOST_LINES)
          .map(
            (text): Alert => ({
              subject: text,
              text,
              inHours: IN_HOURS,
              why: `said by the command of ${spec.key}`,
              due: `alert:${spec.key}:${text}`,
            }),
          );
      } catch (error) {
        problems.push(`${spec.key}: ${error instanceof Error ? error.message : String(error)}`);
        return [];
      }
    }),
  );
  return said.flat();
}

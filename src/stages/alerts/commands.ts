import { messageOf } from '../../base/errors.ts';
import { readSectionOutput } from '../section-output.ts';
import type { StageContext, StageLimit } from '../stage.ts';
import type { Alert } from './alert.ts';

const MOST_LINES = 3;
const DEFAULT_TIMEOUT_MS = 1500;
const MOST_OUTPUT = 16 * 1024;
/** Time reserved for the other alerts if a user's command takes as long as allowed. */
const RESERVE_MS = 150;
/** Somebody configured it on purpose, so it is as urgent as one that is due today. */
const IN_HOURS = 3;

/** The output of `alerts.commands`, one alert per line. A failing command loses only its own lines. */
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
        problems.push(`${spec.key}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return said.flat();
}

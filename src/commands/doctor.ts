import { diagnose } from '../hosts/install/doctor.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** Looks for silent failures. */
export async function doctor(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const findings = await diagnose({
    ...opened,
    env: invocation.env,
    cwd: invocation.cwd,
    now: invocation.now,
  });
  if (findings.some(({ level }) => level === 'fail')) invocation.exitCode = 1;
  invocation.result(
    { workspace: opened.workspace.root, findings },
    findings
      .map(
        ({ level, about, found, next }) =>
          `${MARKS[level]}  ${about}: ${found}${next === undefined ? '' : `\n        next: ${next}`}`,
      )
      .join('\n'),
  );
}

import { counted } from '../base/text/counts.ts';
import type { Finding } from '../hosts/install/doctor.ts';
import { diagnose } from '../hosts/install/doctor.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** All well, or the one thing to do next: about what failed, else about a missing host, else the first warning. */
function inOneLine(findings: readonly Finding[]): string {
  const at = (level: Finding['level'], hosts: boolean): Finding[] =>
    findings.filter((each) => each.level === level && (each.about === 'hosts') === hosts);
  const [first, ...others] = [
    at('fail', false),
    at('fail', true),
    at('warn', true),
    at('warn', false),
  ].flat();
  if (first === undefined) return 'All well.';
  const then = others.length > 0 ? ` (then ${counted(others.length, 'more finding')})` : '';
  return `Do this next: ${first.next ?? `read what is said of ${first.about} above`}${then}`;
}

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
    [
      ...findings.map(
        ({ level, about, found, next }) =>
          `${MARKS[level]}  ${about}: ${found}${next === undefined ? '' : `\n        next: ${next}`}`,
      ),
      '',
      inOneLine(findings),
    ].join('\n'),
  );
}

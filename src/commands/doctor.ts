import { counted } from '../base/text/counts.ts';
import type { Finding } from '../hosts/install/doctor.ts';
import { diagnose } from '../hosts/install/doctor.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** All well, or the one thing to do next: about what failed, else about what may. */
function inOneLine(findings: readonly Finding[]): string {
  const [failed, warned] = (['fail', 'warn'] as const).map((level) =>
    findings.filter((each) => each.level === level),
  );
  // Without a host nothing else matters yet.
  // The first session of a host fills in the state.
  const late = (warned ?? [])
    .filter(({ about }) => about !== 'state')
    .toSorted((a, b) => Number(b.about === 'hosts') - Number(a.about === 'hosts'));
  const first = [...(failed ?? []), ...late].find(({ next }) => next !== undefined);
  if (first === undefined) return 'All well.';
  const others = (failed?.length ?? 0) + late.length - 1;
  return `Do this next: ${first.next}${others > 0 ? ` (then ${counted(others, 'more finding')})` : ''}`;
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

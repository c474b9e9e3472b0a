import { formatCount } from '../base/text/strings.ts';
import { diagnose, type Finding } from '../hosts/install/doctor.ts';
import { defineCommand } from './command.ts';
import { openSession } from './open.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** All well, or the one thing to do next: about what failed, else about a missing host, else the first warning. */
function summarizeFindings(findings: readonly Finding[]): string {
  const filterFindings = (level: Finding['level'], hosts: boolean): Finding[] =>
    findings.filter((each) => each.level === level && (each.about === 'hosts') === hosts);
  const [first, ...others] = [
    filterFindings('fail', false),
    filterFindings('fail', true),
    filterFindings('warn', true),
    filterFindings('warn', false),
  ].flat();

  if (first === undefined) return 'All well.';

  const then = others.length > 0 ? `; then ${formatCount(others.length, 'more finding')}` : '';

  return `Do this next: ${first.next ?? `read what is said of ${first.about} above`}${then}`;
}

export const doctor = defineCommand({
  examples: ['scratchpad doctor'],
  run: async (call) => {
    const opened = await openSession(call);
    const { env, now } = call;
    const findings: Finding[] = [];

    for await (const finding of diagnose({ ...opened, env, now })) findings.push(finding);
    if (findings.some(({ level }) => level === 'fail')) call.exitCode = 1;
    call.print({ workspace: opened.workspace.root, findings }, [
      findings.map(({ level, about, found, next }) => [
        `${MARKS[level]}  ${about}: ${found}`,
        next !== undefined && `        next: ${next}`,
      ]),
      '',
      summarizeFindings(findings),
    ]);
  },
});

import { formatCount } from '../base/text/strings.ts';
import { diagnose, type Finding } from '../hosts/install/doctor.ts';
import { defineCommand } from './command.ts';
import { openSession } from './open.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** What is wrong before what is missing; a host comes first among warnings, since without one nothing is told. */
const RANKS = ['fail', 'fail hosts', 'warn hosts', 'warn'];
const getRank = ({ level, about }: Finding): number =>
  RANKS.indexOf(about === 'hosts' ? `${level} hosts` : level);

/** All well, or the one thing to do next. */
function summarizeFindings(findings: readonly Finding[]): string {
  const problems = findings.filter((each) => getRank(each) >= 0);
  const [first, ...others] = problems.sort((a, b) => getRank(a) - getRank(b));

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

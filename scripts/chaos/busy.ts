/**
 * What reaches the model on an overloaded machine: a busy loop on every processor, with hooks at session starts and
 * prompts. The owned spaces and the trail must be there every time, within the host's deadline.
 *
 *   npx tsx scripts/chaos/busy.ts [TIMES=100] [FILES=1000]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ClaudeSession } from '../../test/trail/claude-session.ts';
import { copyProgram, freshWorkspace, removeAll } from './rig.ts';

const times = Number(process.argv[2] ?? 100);
const files = Number(process.argv[3] ?? 1000);
/** The default of `hook.deadline`, plus the time that starting a process may take. */
const DEADLINE_MS = 2000;
const SLACK_MS = 300;
/** Ten minutes after the last message of the previous session. */
const NOW = '2026-02-05T13:20:00Z';

const program = copyProgram();
const root = freshWorkspace('busy');
mkdirSync(join(root, 'memory'));
for (let k = 0; k < files; k += 1)
  writeFileSync(
    join(root, `memory/note-${k}.md`),
    `# Note ${k}\n\n- the importer of part ${k} reads its rows twice\n`,
  );
const transcript = join(root, 'before.jsonl');
writeFileSync(
  transcript,
  new ClaudeSession({ cwd: root, branch: '' })
    .person('Please mend the totals.')
    .use('Edit', { file_path: join(root, 'src/totals.ts'), old_string: 'a', new_string: 'b' })
    .bash('npm test', 'not ok 1 - adds\n# fail 1\n', 1)
    .agent('The first one fails. Shall I look at the rounding?').text,
);

const busy = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);']),
);
try {
  await hook('cli', ['plan', 'set', '1. Mend the totals\n2. Test them']);
  await hook('prompt', ['hook', 'claude-code', 'UserPromptSubmit'], {
    session_id: 'before',
    prompt: 'go on',
  });
  let whole = 0;
  let within = 0;
  let slowest = 0;
  for (let time = 0; time < times; time += 1) {
    const event = time % 2 === 0 ? 'SessionStart' : 'UserPromptSubmit';
    const more =
      time % 2 === 0 ? { source: 'startup' } : { prompt: `how does the importer read part ${time}?` };
    const { out, ms } = await hook('event', ['hook', 'claude-code', event], {
      session_id: `s${time}`,
      transcript_path: join(root, `s${time}.jsonl`),
      ...more,
    });
    const there = ['Mend the totals', 'src/totals.ts', 'npm test'].every((words) => out.includes(words));
    if (there) whole += 1;
    else console.log(`${event} ${time}: ${out === '' ? 'silent' : out.slice(0, 300)}`);
    if (ms <= DEADLINE_MS + SLACK_MS) within += 1;
    slowest = Math.max(slowest, ms);
  }
  console.log(
    `${busy.length} busy loops, ${files} memory files: plan and trail in ${whole} of ${times}, within the deadline in ${within}, slowest ${slowest.toFixed(0)} ms`,
  );
  if (whole < times || within < times) process.exitCode = 1;
} finally {
  for (const loop of busy) loop.kill('SIGKILL');
  removeAll();
}

/** Runs the program with a host's input. */
async function hook(
  what: string,
  args: readonly string[],
  input?: Record<string, unknown>,
): Promise<{ out: string; ms: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, [program, ...args, ...(input === undefined ? [] : ['--now', NOW])], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: join(root, 'home'), TZ: 'UTC' },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stdin.end(
    input === undefined
      ? ''
      : JSON.stringify({ cwd: root, transcript_path: transcript, hook_event_name: args[2], ...input }),
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${what} ended with ${code}`);
  return { out, ms: performance.now() - from };
}

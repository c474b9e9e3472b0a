/**
 * Sixty outputs of tools, from nothing to a hundred megabytes, through the hook of each host: the turn must
 * continue, and a stored output must have the same bytes.
 *
 *     npm run build && npx tsx scripts/chaos/outputs.ts [MOST CHARACTERS]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { faultOf, HOSTILE_OUTPUTS, TOOL_RESULTS } from '../hostile-outputs.ts';
import { copyProgram, freshWorkspace, removeAll } from './rig.ts';

const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const bin = copyProgram();
let faults = 0;
let slowest = 0;
const kept: Record<string, number> = {};
for (const [host, { event, fields }] of Object.entries(TOOL_RESULTS)) {
  const cwd = freshWorkspace(`outputs-${host}`);
  for (const { name, make } of HOSTILE_OUTPUTS) {
    const output = make();
    if (output.length > most) continue;
    const from = Date.now();
    const done = spawnSync(process.execPath, [bin, 'hook', host, event], {
      cwd,
      input: JSON.stringify({ session_id: 's1', cwd, tool_input: { command: name }, ...fields(output) }),
      env: { PATH: process.env.PATH, HOME: cwd, TZ: 'UTC' },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    slowest = Math.max(slowest, Date.now() - from);
    const fault = faultOf(host, output, { code: done.status, stdout: done.stdout }, (path) =>
      readFileSync(path),
    );
    if (done.stdout.includes('kept as')) kept[host] = (kept[host] ?? 0) + 1;
    if (fault === undefined) continue;
    faults += 1;
    console.log(`FAIL  ${host}: ${name}: ${fault}`);
  }
  console.log(`${host}: ${HOSTILE_OUTPUTS.length} outputs, ${kept[host] ?? 0} kept`);
}
console.log(`${faults} faults, the slowest ${slowest} ms`);
if (faults > 0) process.exitCode = 1;
removeAll();

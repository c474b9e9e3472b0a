'use strict';
// Preloaded into the program: a fault happens at the file system call with the number FAULT_AT.
// FAULT: kill (before the call), half (a write does half of its work, then the process is killed),
// or an error code, which that call and, with FAULT_STAYS, every later writing call fails with.
const fs = require('node:fs');

const at = Number(process.env.FAULT_AT);
const fault = process.env.FAULT ?? 'kill';
const kills = fault === 'kill' || fault === 'half';
const stays = process.env.FAULT_STAYS === '1';
const WRITING = new Set(['writeSync', 'writeFileSync', 'mkdirSync', 'linkSync', 'renameSync', 'fsyncSync']);
const CALLS = [
  ...WRITING,
  'openSync',
  'closeSync',
  'readFileSync',
  'readSync',
  'statSync',
  'fstatSync',
  'lstatSync',
  'unlinkSync',
  'ftruncateSync',
  'fchmodSync',
  'readdirSync',
  'readlinkSync',
];
/** Calls that fail on a full, broken or closed disk; writing to the terminal is not one of them. */
const FAILING = new Set([...WRITING, 'openSync', 'ftruncateSync', 'readFileSync']);
let count = 0;
let failed = false;
let armed = false;
let inside = false;

for (const name of CALLS) {
  const real = fs[name];
  fs[name] = function faulty(...args) {
    // Loading the program does not count: counting begins with the first call on the workspace.
    armed ||= typeof args[0] === 'string' && /\.scratchpad(?!\/config)/.test(args[0]);
    // Nor does a part of the program that is loaded later.
    const isProgram = typeof args[0] === 'string' && args[0].endsWith('.cjs');
    if (
      !armed ||
      inside ||
      isProgram ||
      (kills ? false : !FAILING.has(name) || args[0] === 1 || args[0] === 2)
    ) {
      return real.apply(this, args);
    }
    count += 1;
    const opening = name === 'openSync' && /[wa]|[1-9]/.test(String(args[1] ?? 'r').replace('r', ''));
    const now = count === at || (stays && failed && (WRITING.has(name) || opening));
    if (!now) return real.apply(this, args);
    if (kills) {
      inside = true;
      if (fault === 'half' && name === 'writeSync') {
        const bytes = args[1];
        real.call(this, args[0], bytes.subarray(args[2] ?? 0, Math.ceil(bytes.length / 2)));
      } else if (fault === 'half') real.apply(this, args);
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    }
    failed = true;
    throw Object.assign(new Error(`${fault}: injected, ${name}`), { code: fault, syscall: name });
  };
}
process.on('exit', () => {
  if (count < at) process.exitCode = 77;
});

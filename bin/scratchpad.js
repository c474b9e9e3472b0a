#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { join, sep } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '../dist/cli') + sep;
const argv = process.argv.slice(2);

// Without this Node prints a line of the bundle, which nobody can read. The server has a handler of its own.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return;
  const words =
    error?.syscall === 'uv_cwd'
      ? 'scratchpad: this directory has been deleted\n  next:     run the command in another one\n'
      : `scratchpad: ${error?.message ?? error}\n  next:     run again with SCRATCHPAD_DEBUG=1 and report the output\n`;
  if (argv[0] !== 'hook')
    process.stderr.write(process.env.SCRATCHPAD_DEBUG ? `${error?.stack ?? error}\n` : words);
  process.exit(argv[0] === 'hook' ? 0 : 3);
});

// A hook runs at every prompt of a host: it does without the command parser, and mostly without the loader.
const hook =
  argv[0] === 'hook'
    ? evaluate('hosts.ask-server').answerHook(argv, process.env, process.cwd(), (call) =>
        openLoader()('./commands.hook.cjs').runHook(call),
      )
    : undefined;
if (hook === undefined) {
  openLoader()('./main.cjs')
    .main(argv, process.env, process.cwd())
    .then((code) => {
      process.exitCode = code;
    });
}

function openLoader() {
  return evaluate('base.start').openLoader(folder, require, argv, process.env);
}

/** Runs a file that needs no other: Node's own loader would look for links and for package.json on the way. */
function evaluate(name) {
  const filename = `${folder}${name}.cjs`;
  const file = { exports: {} };
  const script = new Script(`(function(exports,require,module){${read(filename)}\n})`, { filename });
  script.runInThisContext()(file.exports, require, file);
  return file.exports;
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A clone that was linked or installed without a build. A host must not be disturbed by that.
    const root = join(__dirname, '..');
    process.stderr.write(
      `scratchpad: the program has not been built\n  where:    ${root}\n  next:     run there: npm ci && npm run build\n`,
    );
    process.exit(argv[0] === 'hook' ? 0 : 3);
  }
}

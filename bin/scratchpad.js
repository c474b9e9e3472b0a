#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { join, sep } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '../dist/cli') + sep;
// The loader's own loader: Node's would look for links and for package.json on the way.
const filename = `${folder}base.start.cjs`;
const loader = { exports: {} };
const argv = process.argv.slice(2);
new Script(`(function(exports,require,module){${read(filename)}\n})`, {
  filename,
}).runInThisContext()(loader.exports, require, loader);

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

const load = loader.exports.openLoader(folder, require, argv, process.env);
// A hook runs at every prompt of a host: it does without the command parser.
const hook =
  argv[0] === 'hook'
    ? load('./hosts.ask-server.cjs').answerHook(argv, process.env, process.cwd(), (asked) =>
        load('./commands.hook.cjs').runHook(asked),
      )
    : undefined;
if (hook === undefined) {
  load('./main.cjs')
    .main(argv, process.env, process.cwd())
    .then((code) => {
      process.exitCode = code;
    });
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

#!/usr/bin/env node
'use strict';

// Node 22.1 and later keep compiled code on disk between runs.
require('node:module').enableCompileCache?.();

const argv = process.argv.slice(2);
// A hook runs at every prompt of a host: it does without the command parser.
const hook =
  argv[0] === 'hook'
    ? require('../dist/cli/commands.hook.cjs').fast(argv, process.env, process.cwd())
    : undefined;
if (hook === undefined) {
  require('../dist/cli/main.cjs')
    .main(argv, process.env, process.cwd())
    .then((code) => {
      process.exitCode = code;
    });
}

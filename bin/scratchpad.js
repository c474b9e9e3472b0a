#!/usr/bin/env node
'use strict';

const { join, sep } = require('node:path');
const { openLoader } = require('../dist/cli/start.loader.cjs');

const argv = process.argv.slice(2);
const load = openLoader(join(__dirname, '../dist/cli') + sep, require, argv, process.env);
// A hook runs at every prompt of a host: it does without the command parser.
const hook =
  argv[0] === 'hook' ? load('./commands.hook.cjs').fast(argv, process.env, process.cwd()) : undefined;
if (hook === undefined) {
  load('./main.cjs')
    .main(argv, process.env, process.cwd())
    .then((code) => {
      process.exitCode = code;
    });
}

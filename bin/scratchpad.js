#!/usr/bin/env node
'use strict';

// Node 22.1 and later keep compiled code on disk between runs.
require('node:module').enableCompileCache?.();

require('../dist/cli/main.cjs')
  .main(process.argv.slice(2), process.env, process.cwd())
  .then((code) => {
    process.exitCode = code;
  });

import type { Command } from 'commander';
import { misuse } from '../base/errors.ts';
import { nextOperand } from './declare/operands.ts';

/** What earlier versions had, as it was typed, with what to do instead. */
const GONE: readonly (readonly [typed: string, instead: string])[] = [
  ['export', 'copy `.scratchpad/sessions/NAME`; all of a workspace is `SCRATCHPAD.md` and `.scratchpad/`'],
  [
    'import',
    'put a session into `.scratchpad/sessions/NAME`; store a file with `scratchpad entry load NAME FILE`',
  ],
  ['top', 'use `scratchpad status`, or `scratchpad report` for a page'],
  ['schema', 'add `--json` to a command to see its fields'],
  ['notepad', 'use `scratchpad notes`; agents keep the tools read_notepad, write_notepad and update_notepad'],
  ['mcp --http', 'have the host start `scratchpad mcp`, which serves on stdin and stdout'],
  ['mcp --token', 'it was for --http, which is gone, too'],
  ['install launchd', 'docs/hosts.md has the lines to copy; `uninstall launchd` takes an installed one away'],
  [
    'install openclaw-automation',
    'docs/hosts.md has the line to copy; `uninstall openclaw-automation` takes an installed one away',
  ],
];

/** @throws ScratchpadError `usage` for a command or an option that earlier versions had */
export function checkGone(argv: readonly string[], program: Command): void {
  const operands: string[] = [];
  for (let at = nextOperand(argv, 0, [program]); at !== -1; at = nextOperand(argv, at + 1, [program]))
    operands.push(argv[at] ?? '');
  const gone = GONE.find(([typed]) => {
    const words = typed.split(' ');
    const option = words.find((word) => word.startsWith('-'));
    const names = words.filter((word) => word !== option);
    return (
      names.every((name, k) => operands[k] === name) &&
      (option === undefined || argv.some((word) => word.split('=', 1)[0] === option))
    );
  });
  if (gone) throw misuse(`\`${gone[0]}\` is gone: ${gone[1]}`);
}

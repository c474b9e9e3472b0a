import type { Command } from 'commander';
import { misuse } from '../base/errors.ts';
import { operandsOf } from './command.ts';

/** Words that people type for a command: what it is alone, and with more words. */
const SHORT = new Map<string, readonly [alone: string | undefined, more: string]>([
  ['note', ['notes show', 'notes add']],
  ['todo', ['plan show', 'plan add']],
  ['task', ['plan show', 'plan add']],
  ['todos', ['plan show', 'plan add']],
  ['tasks', ['plan show', 'plan add']],
  ['step', ['plan show', 'plan add']],
  ['steps', ['plan show', 'plan add']],
  ['ref', ['refs show', 'refs add']],
  ['done', ['plan done', 'plan done']],
  ['reopen', [undefined, 'plan undone']],
  ['next', ['plan next', 'plan next']],
  ['version', ['--version', '--version']],
  ['ls', ['', 'show']],
  ['list', ['', 'show']],
  ['log', ['history', 'history']],
  ['find', [undefined, 'search']],
  ['grep', [undefined, 'search']],
  ['recall', [undefined, 'memory search']],
  ['cat', ['show', 'show']],
  ['view', ['show', 'show']],
  // A shell asks for suggestions with `complete -- WORDS`.
  ['complete', [undefined, 'plan done']],
  ['rm', [undefined, 'entry delete']],
  ['entries', ['entry list', 'entry']],
  ['outputs', ['entry list', 'entry']],
  ['st', ['status', 'status']],
  ['trail', ['handover', 'handover']],
]);

/** What a word stands for, if it is a short one. */
export const shortOf = (word: string) => SHORT.get(word);

/** The command that a short word stands for. */
export const meantBy = (word: string): string | undefined => shortOf(word)?.[1];

/** Where the help of a short word is: of one that prints a space when alone, with all the verbs of that space. */
export function helpedBy(word: string): string | undefined {
  const [alone, more] = shortOf(word) ?? [];
  return alone?.endsWith(' show') ? alone.replace(' show', '') : more;
}

/** The short words, each with what it stands for: `scratchpad plan show, with words scratchpad plan add …`. */
export const shortWords = (): [word: string, meant: string][] =>
  [...SHORT].map(([word, [alone, more]]) => {
    const ofMore = `scratchpad ${more}`;
    if (alone === more) return [word, ofMore];
    return [
      word,
      alone === undefined ? `${ofMore} …` : `${`scratchpad ${alone}`.trim()}, with words ${ofMore} …`,
    ];
  });

/** `complete -- done ''` asks what may follow `plan done`, `complete -- help ''` for any command. */
export function completed(argv: readonly string[]): readonly string[] {
  const [complete, dashes, word = '', ...rest] = argv;
  if (complete !== 'complete' || dashes !== '--' || rest.length === 0) return argv;
  if (word === 'help') return completed([complete, dashes, ...rest]);
  const meant = helpedBy(word);
  return meant ? [complete, dashes, ...meant.split(' '), ...rest] : argv;
}

/** What earlier versions had, as it was typed, with what to do instead. */
const GONE: Readonly<Record<string, string>> = {
  export: 'copy `.scratchpad/sessions/NAME`; all of a workspace is `SCRATCHPAD.md` and `.scratchpad/`',
  import:
    'put a session into `.scratchpad/sessions/NAME`; store a file with `scratchpad entry write NAME --file FILE`',
  top: 'use `scratchpad status`, or `scratchpad report` for a page',
  schema: 'add `--json` to a command to see its fields',
  'completion install':
    'write what `scratchpad completion SHELL` prints where your shell looks for it, as its --help shows',
  'memory search --no-index': 'the index is used, and made, where it helps',
  'config schema': '`scratchpad config list` says what each setting takes',
  notepad: 'use `scratchpad notes`; agents keep the tools read_notepad, write_notepad and update_notepad',
  'entry load': 'use `scratchpad entry write NAME --file FILE`',
  'entry save': 'use `scratchpad entry read NAME --raw > FILE`',
  'entry prune': 'kept outputs go by themselves, by the settings outputs.keep and outputs.size',
  'session adopt':
    '`scratchpad plan take` takes over a plan, `scratchpad notes promote --session ID` adds notes to the shared ones',
  'trust --list': '`scratchpad trust --show` says it of the workspace here',
  'search --in': 'every source is searched',
  'mood --explain': 'add `--json` for every reading',
  'memory search --explain': 'add `--json` for the score of each line',
  'context --host-session': '`scratchpad context --explain` shows the newest window',
  'feedback --person': 'it counts for whoever spoke last',
  'install --details': '`--dry-run` shows every line',
  'uninstall --details': '`--dry-run` shows every line',
  'status --verbose': '`scratchpad status --json` has everything',
  'refs adopt': '`scratchpad handover` names the files that the last session worked with',
  'mcp --http': 'have the host start `scratchpad mcp`, which serves on stdin and stdout',
  'mcp --token': 'it was for --http, which is gone, too',
  'install launchd': 'docs/hosts.md has the lines to copy; `uninstall launchd` takes an installed one away',
  'install openclaw-automation':
    'docs/hosts.md has the line to copy; `uninstall openclaw-automation` takes an installed one away',
};

/** @throws ScratchpadError `usage` for a command or an option that earlier versions had */
export function checkGone(argv: readonly string[], program: Command): void {
  const operands = operandsOf(argv, 0, [program]).map((at) => argv[at]);
  for (const [typed, instead] of Object.entries(GONE)) {
    const words = typed.split(' ');
    const option = words.find((word) => word.startsWith('-'));
    const names = words.filter((word) => word !== option);
    const has = option === undefined || argv.some((word) => word.split('=', 1)[0] === option);
    if (has && names.every((name, k) => operands[k] === name))
      throw misuse(`\`${typed}\` is gone: ${instead}`);
  }
}

/** Whether each of several texts is in quotes, so that they are texts of their own. */
export const eachHasWords = (texts: readonly string[]): boolean => texts.every((text) => /\s/.test(text));

/** A call as a person would type it in a shell. */
export function spell(...words: readonly string[]): string {
  return ['scratchpad', ...words.map(quoted)].join(' ');
}

export const quoted = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);

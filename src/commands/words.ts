import type { Command } from 'commander';
import { misuse } from '../base/errors.ts';
import { hasPipedInput } from '../base/fs/index.ts';
import { childNamed, nextOperand, operandsOf } from './command.ts';

/** Words that people type for a command: what it is alone, and with more words. */
const SHORT = new Map<string, readonly [alone: string | undefined, more?: string]>([
  ['note', ['notes show', 'notes add']],
  ['todo', ['plan show', 'plan add']],
  ['task', ['plan show', 'plan add']],
  ['todos', ['plan show', 'plan add']],
  ['tasks', ['plan show', 'plan add']],
  ['ref', ['refs show', 'refs add']],
  ['done', ['plan done', 'plan done']],
  ['reopen', [undefined, 'plan undone']],
  ['next', ['plan next']],
  ['version', ['--version']],
  ['ls', ['', 'show']],
  ['list', ['', 'show']],
  ['log', ['history', 'history']],
  ['find', [undefined, 'search']],
  ['grep', [undefined, 'search']],
  ['cat', ['show', 'show']],
  ['view', ['show', 'show']],
  ['check', [undefined, 'plan done']],
  // A shell asks for suggestions with `complete -- WORDS`.
  ['complete', [undefined, 'plan done']],
  ['rm', [undefined, 'entry delete']],
]);

/** The command that a short word stands for. */
export function meantBy(word: string): string | undefined {
  const [alone, more] = SHORT.get(word) ?? [];
  return more ?? alone;
}

export const shortWords = (): [word: string, meant: string][] =>
  [...SHORT.keys()].map((word) => [word, meantBy(word) ?? '']);

/** `complete -- done ''` asks what may follow `plan done`. */
export function completed(argv: readonly string[]): readonly string[] {
  const [complete, dashes, word = '', ...rest] = argv;
  const meant = meantBy(word);
  if (complete !== 'complete' || dashes !== '--' || rest.length === 0 || !meant) return argv;
  return [complete, dashes, ...meant.split(' '), ...rest];
}

/** Their words are one text: the shell may have split it. */
const ONE_TEXT = /^(?:notes|plan) add$/;
/** A dash alone is stdin, and one before a blank or a number begins a text. */
const isText = (word: string): boolean => !word.startsWith('-') || /^-+(?:[\s\d]|$)/.test(word);

/**
 * The command line with a short word at its beginning replaced by what it stands for. A short word before a verb is
 * its noun: `todo done 2` is `plan done 2`, but `note remove old files` may be either and is refused.
 * @throws ScratchpadError `usage`
 */
export function inFull(argv: readonly string[], program: Command): readonly string[] {
  if (argv.length === 1 && argv[0] === '-v') return ['--version'];
  const at = nextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const [ofAlone, ofMore] = SHORT.get(word) ?? [];
  if (!SHORT.has(word) || (word === 'complete' && argv.includes('--'))) return argv;
  const [noun = '', usual = ''] = meantBy(word)?.split(' ') ?? [];
  const command = childNamed(program, noun);
  const declaring = [program, command, command && childNamed(command, usual)].filter((each) => !!each);
  const [before, rest] = [argv.slice(0, at), argv.slice(at + 1)];
  const plain = rest.map((each) => (isText(each) && each !== '--' ? each.replace(/^-/, '\u2010') : each));
  const places = operandsOf(plain, 0, declaring);
  const operands = places.map((place) => rest[place] ?? '');
  const alone = operands.length === 0 && !rest.some((each) => /^(?:-f|--file|--$)/.test(each));
  const piped = alone && ONE_TEXT.test(ofMore ?? '') && hasPipedInput();
  const meant = alone && !piped ? ofAlone : ofMore;
  const numbers = operands.every((each) => /^\d+$/.test(each));
  // `rm 2` may be a step or a note; `log text` is not a request for the history.
  if (meant === undefined || (word === 'rm' && numbers) || (word === 'log' && !numbers)) return argv;

  const [first = '', ...more] = operands;
  const verb = usual === '' || noun === 'entry' ? undefined : command && childNamed(command, first);
  if (verb && verb.name() !== usual) {
    if (more.every((each) => /^\d/.test(each))) return [...before, noun, ...rest];
    throw misuse(`'${word} ${first}' has two meanings: nothing was done`, {
      expected: `${spell(noun, verb.name(), ...more)}, or ${spell(word, operands.join(' '))}`,
    });
  }
  const said = verb ? rest.filter((_, k) => k !== places[0]) : rest;
  const oneText = ONE_TEXT.test(meant) && said.length === (verb ? more : operands).length;
  const text = said.join(' ');
  return [
    ...before,
    ...meant.split(' ').filter((each) => each !== ''),
    // Of what begins with a number after the dash no option has the name.
    ...(oneText && /^-\d/.test(text) ? ['--'] : []),
    ...(oneText && said.length > 0 ? [text] : said),
    ...(piped ? ['-'] : []),
  ];
}

/** What earlier versions had, as it was typed, with what to do instead. */
const GONE: Readonly<Record<string, string>> = {
  export: 'copy `.scratchpad/sessions/NAME`; all of a workspace is `SCRATCHPAD.md` and `.scratchpad/`',
  import:
    'put a session into `.scratchpad/sessions/NAME`; store a file with `scratchpad entry load NAME FILE`',
  top: 'use `scratchpad status`, or `scratchpad report` for a page',
  schema: 'add `--json` to a command to see its fields',
  'completion install':
    'write what `scratchpad completion SHELL` prints where your shell looks for it, as its --help shows',
  'memory search --no-index': 'the index is used, and made, where it helps',
  'config schema': '`scratchpad config list` says what each setting takes',
  notepad: 'use `scratchpad notes`; agents keep the tools read_notepad, write_notepad and update_notepad',
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

/** A call as a person would type it in a shell. */
export function spell(...words: readonly string[]): string {
  return ['scratchpad', ...words.map(quoted)].join(' ');
}

export const quoted = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);

import type { Command } from 'commander';

/**
 * `run` takes options up to the command it runs; whatever follows belongs to that command,
 * `scratchpad run ls -l --json`. commander looks for options in the whole line, so `--` marks the end of
 * ours unless the caller has done so.
 */
export function endOfOptions(argv: readonly string[], program: Command): readonly string[] {
  const command = nextOperand(argv, 0, [program]);
  const run = program.commands.find((each) => each.name() === 'run');
  if (!run || argv[command] !== run.name()) return argv;
  const first = nextOperand(argv, command + 1, [program, run]);
  return first === -1 ? argv : [...argv.slice(0, first), '--', ...argv.slice(first)];
}

/**
 * Index of the next word that is neither an option nor its value; -1 if there is none before `--`. The options of the
 * last command's subcommands count too, since one of them may run without being named.
 */
export function nextOperand(argv: readonly string[], from: number, declaring: readonly Command[]): number {
  const options = optionsOf(declaring);
  for (let at = from; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (!word.startsWith('-')) return at;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (option?.required) at += 1;
  }
  return -1;
}

/** Whether a word is an option that none of the commands declares. */
export function isUnknownOption(word: string, declaring: readonly Command[]): boolean {
  const [name] = word.split('=', 1);
  return (
    word.startsWith('-') &&
    !optionsOf(declaring).some(({ long, short }) => name === long || word.startsWith(short ?? '\n'))
  );
}

function optionsOf(declaring: readonly Command[]): Command['options'] {
  return [...declaring, ...(declaring.at(-1)?.commands ?? [])].flatMap((command) => command.options);
}

import type { Command } from 'commander';
import { nearest } from '../../config/nearest.ts';
import { ScratchpadError } from '../../errors.ts';
import { nextOperand } from './operands.ts';

/** What somebody may mean who types a word that is no command; nearness of spelling would not find these. */
const MEANT = new Map([
  ['ls', 'show'],
  ['list', 'show'],
  ['cat', 'show'],
  ['view', 'show'],
  ['get', 'show'],
  ['read', 'show'],
  ['write', 'set'],
  ['new', 'add'],
  ['create', 'add'],
  ['insert', 'add'],
  ['update', 'edit'],
  ['change', 'edit'],
  ['rm', 'remove'],
  ['delete', 'remove'],
  ['del', 'remove'],
  ['mv', 'move'],
  ['tick', 'done'],
  ['complete', 'done'],
  ['check', 'done'],
  ['finish', 'done'],
  ['reset', 'clear'],
  ['empty', 'clear'],
  ['todo', 'plan'],
  ['todos', 'plan'],
  ['task', 'plan'],
  ['tasks', 'plan'],
  ['step', 'plan'],
  ['steps', 'plan'],
  ['log', 'history'],
  ['revert', 'undo'],
  ['rollback', 'restore'],
  ['find', 'search'],
  ['grep', 'search'],
  ['settings', 'config'],
  ['setup', 'install'],
  ['open', 'edit'],
  ['refresh', 'assemble'],
  ['file', 'refs'],
  ['link', 'refs'],
]);

/** Spaces in which a text that is no command is most likely one to add. */
const SPACES = new Set(['notes', 'plan', 'refs']);

/**
 * Says what a word that is no command may have meant, before commander takes it for something else: a command that
 * shows its space where no verb is given would call it an argument too many.
 * @throws ScratchpadError `usage`
 */
export function checkWords(argv: readonly string[], program: Command): void {
  let command = program;
  const path = ['scratchpad'];
  const declaring = [program];
  for (let at = nextOperand(argv, 0, declaring); at !== -1; at = nextOperand(argv, at + 1, declaring)) {
    const word = argv[at] ?? '';
    if (command.commands.length === 0) return;
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (!next) {
      if (word === 'help' || (command === program && word === 'complete')) return;
      throw unknownWord(word, command, path);
    }
    command = next;
    declaring.push(next);
    path.push(next.name());
  }
}

function unknownWord(word: string, command: Command, path: readonly string[]): ScratchpadError {
  const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const synonym = MEANT.get(word.toLowerCase());
  const near = synonym !== undefined && names.includes(synonym) ? synonym : nearest(word, names);
  const space = SPACES.has(command.name()) && command.parent?.parent === null;
  const whole = path.join(' ');
  return new ScratchpadError(
    'usage',
    path.length === 1 ? `unknown command '${word}'` : `${path.slice(1).join(' ')} has no command '${word}'`,
    {
      ...(near !== undefined && { expected: `perhaps ${near}` }),
      next:
        space && near === undefined
          ? `to add it: ${whole} add ${JSON.stringify(word)}; ${whole} --help shows the commands`
          : `${whole} --help shows the commands`,
    },
  );
}

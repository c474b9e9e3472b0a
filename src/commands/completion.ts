import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { BASH, installCompletion, type Shell } from './completion-script.ts';
import { examples } from './declare/family.ts';
import { type Invocation, write } from './invocation.ts';
import type { Opened } from './open.ts';

/** A word that may come next, with its description. */
type Offer = readonly [word: string, about: string];

/** Arguments with values from the workspace: `command argument`, and the source of the values. */
const NAMED: readonly { argument: RegExp; offers: (opened: Opened) => Promise<Offer[]> }[] = [
  { argument: /^entry (?:edit|delete|merge|read|rename|save|search) (?:name|names|from)$/, offers: entries },
  { argument: /^session \w+ (?:parent|session)$/, offers: sessions },
  { argument: /^plan (?:current|done|edit|move|remove|undone) numbers?$/, offers: steps },
  { argument: /^refs (?:edit|move|remove) ref$/, offers: refs },
  { argument: /^tool name$/, offers: tools },
  { argument: /^(?:un)?install target$/, offers: targets },
];

/**
 * Adds `completion SHELL`, which prints a script for that shell, `completion install`, and `complete -- WORDS`, which
 * the script calls at each press of the key. An error there only leaves the suggestions out: a shell
 * must not print an error in the middle of a line.
 */
export async function addCompletion(
  program: Command,
  words: readonly string[],
  open: () => Promise<Opened>,
  call: () => Invocation,
): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion' });
  const completion = program.commands.find((command) => command.name() === 'completion');
  completion
    ?.description('print a script that makes a shell complete these commands, or install it')
    .addHelpText(
      'after',
      examples(
        'scratchpad completion install',
        'source <(scratchpad completion bash)',
        'scratchpad completion install fish',
      ),
    )
    .action((shell: Shell) => {
      if (shell === 'bash') write(1, BASH);
      else root.setup(program.name(), program.name(), shell);
    });
  completion
    ?.command('install')
    .description('install the script where the shell looks for it')
    .argument('[shell]', `bash, zsh or fish; that of $SHELL unless given`)
    .action((shell: string | undefined) => installCompletion(call(), shell));
  if (words[0] !== 'complete') return;
  const line = words.slice(words.indexOf('--') + 1).filter((word) => !word.startsWith('-'));
  for (const [name, command] of root.commands) {
    if (!name.split(' ').every((word, k) => line[k] === word)) continue;
    for (const argument of command.arguments.values()) {
      const named = NAMED.find((each) => each.argument.test(`${name} ${argument.name}`));
      if (!named) continue;
      const offers = await open()
        .then(named.offers)
        .catch(() => []);
      argument.handler = (complete) => {
        for (const [word, about] of offers) complete(word, about);
      };
    }
  }
}

async function entries({ pad, store }: Opened): Promise<Offer[]> {
  const { FileEntries } = await import('../entries/file-entries.ts');
  const found = await new FileEntries(store.paths, pad.now).list();
  return found.map(({ name, origin }) => [name, origin]);
}

async function sessions({ pad, config }: Opened): Promise<Offer[]> {
  const { Sessions } = await import('../core/sessions.ts');
  const found = await new Sessions(pad.root, { primary: config.primarySession }).list();
  return found.map(({ session, updated }) => [session, updated]);
}

async function steps({ store }: Opened): Promise<Offer[]> {
  const { stepsOf } = await import('../pad/plan.ts');
  return stepsOf((await store.read()).spaces.plan).map(({ number, text }) => [String(number), text]);
}

async function refs({ store }: Opened): Promise<Offer[]> {
  const { refsOf } = await import('../pad/budget.ts');
  return refsOf((await store.read()).spaces.refs).map((ref) => [ref, '']);
}

async function tools({ config }: Opened): Promise<Offer[]> {
  const { toolsFor } = await import('../tools/registry.ts');
  return toolsFor(config).map(({ name, description }) => [name, description]);
}

async function targets(): Promise<Offer[]> {
  const { INSTALLABLE } = await import('../install/targets.ts');
  return INSTALLABLE.map((name) => [name, '']);
}

import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { readText } from '../base/fs/index.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { listReachable } from '../entries/reach.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { renderExamples } from './command.ts';
import { write } from './invocation.ts';
import { listEntryPlaces, type OpenPad } from './open.ts';
import { listShortWords } from './words.ts';

const MOST_OFFERED = 100;
/** Our own: the library's passes words through `eval`, which would run quoted input. */
const BASH = join(findPackageFolder(), 'templates/completion.bash');

type ListValues = (opened: OpenPad) => Promise<readonly string[]>;

const listEntries: ListValues = async (opened) =>
  (await listReachable(await listEntryPlaces(opened))).map(({ info }) => info.name);
const listSessions: ListValues = async ({ pad, config }) => {
  const { Sessions } = await import('../core/sessions.ts');
  const sessions = new Sessions(pad.root, { primary: config.primarySession });
  return (await sessions.list({ limit: MOST_OFFERED })).map((each) => each.session);
};
const listSteps: ListValues = async ({ store }) => {
  const { parseSteps } = await import('../pad/steps.ts');
  return parseSteps((await store.read()).spaces.plan).map(({ number }) => String(number));
};

/** The values of arguments, by their name, which means the same in every command. */
const VALUES: Readonly<Record<string, ListValues>> = {
  name: listEntries,
  names: listEntries,
  step: listSteps,
  steps: listSteps,
  session: listSessions,
  parent: listSessions,
  what: async (opened) => [...SPACE_NAMES, 'state', ...(await listEntries(opened))],
  space: async () => SPACE_NAMES,
  key: async () => (await import('../config/settings.ts')).SETTINGS.map(({ key }) => key),
  target: async () => (await import('../hosts/install/installation.ts')).INSTALLABLE,
};

/** An error only leaves suggestions out: a shell must not print one in the middle of a line. */
export async function addCompletion(
  program: Command,
  words: readonly string[],
  open: () => Promise<OpenPad>,
): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print a script for the completion of a shell')
    .addHelpText(
      'before',
      renderExamples(
        'source <(scratchpad completion bash)',
        'scratchpad completion zsh > ~/.local/share/zsh/site-functions/_scratchpad',
        'scratchpad completion fish > ~/.config/fish/completions/scratchpad.fish',
      ),
    )
    .action((shell: 'bash' | 'zsh' | 'fish' | 'powershell') => {
      if (shell === 'bash') write(1, readText(BASH, 'package') ?? '');
      else root.setup(program.name(), program.name(), shell);
    });
  if (words[0] !== 'complete') return;

  for (const [word, meant] of listShortWords()) root.command(word, meant);
  const makeHandler = async (listValues: ListValues) => {
    const values = await open()
      .then(listValues)
      .catch(() => []);
    return (complete: (word: string, about: string) => void): void => {
      for (const value of values) complete(value, '');
    };
  };

  const session = root.options.get('session');
  if (session && /^(?:-s|--session)$/.test(words.at(-2) ?? ''))
    session.handler = await makeHandler(listSessions);

  const line = words.slice(words.indexOf('--') + 1).filter((word) => !word.startsWith('-'));
  for (const [name, command] of root.commands) {
    if (!name.split(' ').every((word, k) => line[k] === word)) continue;
    for (const argument of command.arguments.values()) {
      const listValues = VALUES[argument.name];
      if (listValues !== undefined) argument.handler = await makeHandler(listValues);
    }
  }
}

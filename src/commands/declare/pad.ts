import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The file as a whole, and the settings. */
export function declarePad(program: Command, act: Act): void {
  program
    .command('init')
    .description('create SCRATCHPAD.md in this directory')
    .option('--tracked', 'in a git work tree: do not keep the pad out of commits')
    .addHelpText('after', examples('scratchpad init', 'scratchpad init --workspace ~/agent'))
    .action(act(async () => (await import('../init.ts')).init));
  program
    .command('show')
    .description('print the pad, with its age and how full it is')
    .action(act(async () => (await import('../show.ts')).show));
  program
    .command('context')
    .description('print what goes before the model: the spaces, and the state block while it is fresh')
    .addHelpText('after', examples('scratchpad context', 'scratchpad context --session 7f3a'))
    .action(act(async () => (await import('../context.ts')).context));
  program
    .command('check')
    .description('say how old the state block is and whether the file is sound; exits 4 when stale')
    .action(act(async () => (await import('../check.ts')).check));
  program
    .command('status')
    .description('where things are, how full the spaces are, what each stage did last')
    .action(act(async () => (await import('../status.ts')).status));
  const config = program.command('config').description('settings of this workspace');
  config
    .command('list')
    .description('every setting, its value and where it comes from')
    .action(act(async () => (await import('../config.ts')).list));
  config
    .command('get')
    .description('print one setting')
    .argument('<key>', 'name of the setting')
    .action(act(async () => (await import('../config.ts')).get));
  config
    .command('set')
    .description('change one setting in .scratchpad/config.yaml; comments stay')
    .argument('<key>', 'name of the setting')
    .argument('<value>', 'its value; a list with commas')
    .addHelpText(
      'after',
      examples('scratchpad config set timezone Australia/Sydney', 'scratchpad config set ttl 45m'),
    )
    .action(act(async () => (await import('../config.ts')).set));
  config
    .command('unset')
    .description('back to the default')
    .argument('<key>', 'name of the setting')
    .action(act(async () => (await import('../config.ts')).unset));
  config
    .command('check')
    .description('say what is wrong in the config files')
    .action(act(async () => (await import('../config.ts')).check));
}

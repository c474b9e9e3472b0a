import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The settings, and which commands they may run. */
export function declareConfig(program: Command, act: Act): void {
  const config = program
    .command('config')
    .description('settings of this workspace')
    .addHelpText(
      'after',
      examples(
        'scratchpad config list',
        'scratchpad config set timezone Australia/Sydney',
        'scratchpad config check',
      ),
    );
  config
    .command('list', { isDefault: true })
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
    .option('--user', 'in your own config, for all workspaces')
    .addHelpText(
      'after',
      examples('scratchpad config set timezone Australia/Sydney', 'scratchpad config set ttl 45m'),
    )
    .action(act(async () => (await import('../config.ts')).set));
  config
    .command('unset')
    .description('back to the default')
    .argument('<key>', 'name of the setting')
    .option('--user', 'in your own config')
    .action(act(async () => (await import('../config.ts')).unset));
  config
    .command('check')
    .description('say what is wrong in the config files')
    .action(act(async () => (await import('../config.ts')).check));
  config
    .command('schema')
    .description('the JSON schema of the config files, for editors')
    .addHelpText('after', examples('scratchpad config schema > .scratchpad/config.schema.json'))
    .action(act(async () => (await import('../config.ts')).schema));
  program
    .command('trust')
    .description('show which commands the config of this workspace would run, and let them')
    .argument('[digest]', 'approve only if this is what it is, as --show has printed it')
    .option('--show', 'show them and approve nothing')
    .option('--revoke', 'let them run no longer')
    .option('--list', 'every workspace that is approved')
    .addHelpText(
      'after',
      examples(
        'scratchpad trust --show',
        'scratchpad trust',
        'scratchpad trust --revoke',
        'scratchpad trust --list',
      ),
    )
    .action(act(async () => (await import('../trust.ts')).trust));
  program
    .command('schema')
    .description('the JSON schema of what a command prints with --json, or of all of them')
    .argument('[command...]', 'the command with its verb')
    .addHelpText(
      'after',
      examples('scratchpad schema plan done', 'scratchpad schema > scratchpad.schema.json'),
    )
    .action(act(async () => (await import('../schema.ts')).schema));
  program
    .command('version')
    .description('print the version')
    .addHelpText('after', examples('scratchpad version'))
    .action(act(async () => (await import('../version.ts')).version));
}

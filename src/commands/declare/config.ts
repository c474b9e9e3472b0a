import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The settings, and which commands they may run. */
export function declareConfig(program: Command, act: Act): void {
  const config = program
    .command('config')
    .description('read and change the settings of this workspace')
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
    .description('list every setting with its value and where it comes from')
    .action(act(async () => (await import('../config.ts')).list));
  config
    .command('get')
    .description('print one setting')
    .argument('<key>', 'name of the setting')
    .action(act(async () => (await import('../config.ts')).get));
  config
    .command('set')
    .description('change one setting in .scratchpad/config.yaml; keeps the comments in it')
    .argument('<key>', 'name of the setting')
    .argument('<value>', 'its value; separate the items of a list with commas')
    .option('--user', 'change it in your own config, for all workspaces')
    .addHelpText(
      'after',
      examples('scratchpad config set timezone Australia/Sydney', 'scratchpad config set ttl 45m'),
    )
    .action(act(async () => (await import('../config.ts')).set));
  config
    .command('unset')
    .description('return a setting to its default')
    .argument('<key>', 'name of the setting')
    .option('--user', 'remove it from your own config')
    .action(act(async () => (await import('../config.ts')).unset));
  config
    .command('check')
    .description('report errors in the config files')
    .action(act(async () => (await import('../config.ts')).check));
  config
    .command('schema')
    .description('print the JSON schema of the config files, for editors')
    .addHelpText('after', examples('scratchpad config schema > .scratchpad/config.schema.json'))
    .action(act(async () => (await import('../config.ts')).schema));
  program
    .command('trust')
    .description('show which commands the config of this workspace would run, and approve them')
    .argument('[digest]', 'approve only if the digest, as printed by --show, is still this')
    .option('--show', 'show the commands without approving them')
    .option('--revoke', 'withdraw the approval')
    .option('--list', 'list all approved workspaces')
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
    .description('print the JSON schema of the --json output of one command, or of all commands')
    .argument('[command...]', 'the command, such as plan done')
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

import { type Family, from } from './family.ts';

/** The settings, and which commands they may run. */
export const SETTINGS: Family = {
  heading: 'Settings:',
  commands: [
    {
      name: 'config',
      about: 'read and change the settings of this workspace',
      examples: ['scratchpad config list', 'scratchpad config set timezone Australia/Sydney'],
      verbs: [
        ...from(() => import('../config.ts'), {
          list: { about: 'list every setting with its value and where it comes from', usual: true },
          get: { about: 'print one setting', takes: { '<key>': 'name of the setting' } },
          set: {
            about: 'change one setting in .scratchpad/config.yaml; keeps the comments in it',
            takes: {
              '<key>': 'name of the setting',
              '<value>': 'its value; separate the items of a list with commas',
              '--user': 'change it in your own config, for all workspaces',
            },
            examples: ['scratchpad config set timezone Australia/Sydney', 'scratchpad config set ttl 45m'],
          },
          unset: {
            about: 'return a setting to its default',
            takes: { '<key>': 'name of the setting', '--user': 'remove it from your own config' },
          },
          check: { about: 'report errors in the config files' },
        }),
      ],
    },
    ...from(() => import('../trust.ts'), {
      trust: {
        about: 'show which commands the config of this workspace would run, and approve them',
        takes: {
          '[digest]': 'approve only if the digest, as printed by --show, is still this',
          '--show': 'show the commands without approving them',
          '--revoke': 'withdraw the approval',
          '--list': 'list all approved workspaces',
        },
        examples: ['scratchpad trust --show', 'scratchpad trust'],
      },
    }),
  ],
};

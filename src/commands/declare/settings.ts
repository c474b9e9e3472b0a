import type { Family } from './family.ts';

/** The settings, and which commands they may run. */
export const SETTINGS: Family = {
  heading: 'Settings:',
  bodies: {
    config: () => import('../config.ts'),
    trust: () => import('../trust.ts'),
    version: () => import('../version.ts'),
  },
  text: `
config  read and change the settings of this workspace
  $ scratchpad config list
  $ scratchpad config set timezone Australia/Sydney
  list (default)  list every setting with its value and where it comes from
  get  print one setting
    <key>  name of the setting
  set  change one setting in .scratchpad/config.yaml; keeps the comments in it
    <key>    name of the setting
    <value>  its value; separate the items of a list with commas
    --user   change it in your own config, for all workspaces
    $ scratchpad config set timezone Australia/Sydney
    $ scratchpad config set ttl 45m
  unset  return a setting to its default
    <key>   name of the setting
    --user  remove it from your own config
  check  report errors in the config files
  schema  print the JSON schema of the config files, for editors
    $ scratchpad config schema > .scratchpad/config.schema.json
trust  show which commands the config of this workspace would run, and approve them
  [digest]  approve only if the digest, as printed by --show, is still this
  --show    show the commands without approving them
  --revoke  withdraw the approval
  --list    list all approved workspaces
  $ scratchpad trust --show
  $ scratchpad trust
version  print the version
  $ scratchpad version
`,
};

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { misuse } from '../base/errors.ts';
import { ensureFolder, writeAtomically } from '../base/fs/index.ts';
import { examples } from './declare/family.ts';
import { type Invocation, write } from './invocation.ts';
import type { Opened } from './open.ts';

/** A word that may come next, with its description. */
type Offer = readonly [word: string, about: string];

/** Arguments with values from the workspace: `command argument`, and the source of the values. */
const NAMED: readonly { argument: RegExp; offers: (opened: Opened) => Promise<Offer[]> }[] = [
  { argument: /^entry (?:edit|delete|merge|read|rename|save|search) (?:name|names|from)$/, offers: entries },
  { argument: /^session \w+ (?:parent|session)$/, offers: sessions },
  { argument: /^plan (?:current|done|edit|move|remove|undone) steps?$/, offers: steps },
  { argument: /^refs (?:(?:edit|move) ref|remove refs)$/, offers: refs },
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
    .addHelpText('before', examples('scratchpad completion install', 'source <(scratchpad completion bash)'))
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
  const { stepsOf } = await import('../pad/steps.ts');
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
  const { INSTALLABLE } = await import('../hosts/install/targets.ts');
  return INSTALLABLE.map((name) => [name, '']);
}

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * For bash. Words go to the program as typed, never through `eval`, which would run quoted input. Without
 * suggestions it completes files. It may be sourced twice.
 */
const BASH = `# bash completion for scratchpad
__scratchpad_complete() {
    local cur words cword word rest
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur words cword
    else
        cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    fi
    cur=\${cur#[\\"\\']}
    COMPREPLY=()
    while IFS=$'\\t' read -r word rest; do
        if [[ $word != :[0-9]* && $word == "$cur"* ]]; then
            COMPREPLY+=("$(printf %q "$word")")
        fi
    done < <(scratchpad complete -- "\${words[@]:1:cword-1}" "$cur" 2>/dev/null)
}
complete -o default -F __scratchpad_complete scratchpad
`;

/** Installs the script where the shell looks for it. Shape with \`--json\`: \`{shell, file}\`. */
function installCompletion(invocation: Invocation, named: string | undefined): void {
  const { env } = invocation;
  const shell = SHELLS.find((name) => name === (named ?? env.SHELL?.split('/').at(-1)));
  const home = env.HOME ?? '';
  if (shell === undefined || shell === 'powershell' || home === '') {
    throw misuse('completion can be installed for bash, zsh and fish', {
      expected: 'bash, zsh or fish, and HOME to be set',
      found: named ?? env.SHELL ?? 'no SHELL',
      next: 'print the script and add it to the profile yourself: scratchpad completion powershell',
    });
  }
  const data = env.XDG_DATA_HOME || join(home, '.local/share');
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const [folder, name] = {
    bash: [join(data, 'bash-completion/completions'), 'scratchpad'],
    zsh: [join(data, 'zsh/site-functions'), '_scratchpad'],
    fish: [join(config, 'fish/completions'), 'scratchpad.fish'],
  }[shell] as [string, string];
  const program = process.argv[1] ?? '';
  const script = shell === 'bash' ? BASH : execFileSync(process.execPath, [program, 'completion', shell]);
  ensureFolder(folder);
  const file = join(folder, name);
  writeAtomically(file, script);
  const next = {
    bash: 'start a new shell (the package bash-completion reads it)',
    zsh: `add this to ~/.zshrc once, before compinit: fpath=(${folder} $fpath)`,
    fish: 'it works in every new shell',
  }[shell];
  invocation.done({ shell, file }, `written: ${file}\nnext: ${next}`);
}

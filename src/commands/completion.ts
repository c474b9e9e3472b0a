import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { examples } from './command.ts';
import { write } from './invocation.ts';
import { entriesIn, type Opened } from './open.ts';
import { shortWords } from './words.ts';

/** A word that may come next, with its description. */
type Offer = readonly [word: string, about: string];

const entryNames = async (opened: Opened): Promise<Offer[]> =>
  (await (await entriesIn(opened)).list()).map(({ name, origin }) => [name, origin]);

const sessionNames = async ({ pad, config }: Opened): Promise<Offer[]> => {
  const { Sessions } = await import('../core/sessions.ts');
  const sessions = await new Sessions(pad.root, { primary: config.primarySession }).list();
  return sessions.map(({ session, updated }) => [session, updated]);
};

/** Arguments with values from the workspace, as `command argument`, each with the source of its values. */
const NAMED: readonly (readonly [argument: RegExp, offers: (opened: Opened) => Promise<Offer[]>])[] = [
  [/^entry (?:edit|delete|read|rename|save|search) (?:name|names|from)$/, entryNames],
  [
    /^(?:show|edit) what$/,
    async (opened) => [
      ...['plan', 'notes', 'refs', 'state'].map((name): Offer => [name, '']),
      ...(await entryNames(opened)),
    ],
  ],
  [
    /^config \w+ key$/,
    async () => {
      const { SETTINGS } = await import('../config/settings.ts');
      return SETTINGS.map(({ key, about }) => [key, about]);
    },
  ],
  [/^session \w+ (?:parent|session)$/, sessionNames],
  [
    /^plan (?:current|done|edit|move|remove|undone) steps?$/,
    async ({ store }) => {
      const { stepsOf } = await import('../pad/steps.ts');
      return stepsOf((await store.read()).spaces.plan).map(({ number, text }) => [String(number), text]);
    },
  ],
  [
    /^refs (?:(?:edit|move) ref|remove refs)$/,
    async ({ store }) => {
      const { refsOf } = await import('../pad/budget.ts');
      return refsOf((await store.read()).spaces.refs).map((ref) => [ref, '']);
    },
  ],
  [
    /^tool name$/,
    async ({ config }) => {
      const { toolsFor } = await import('../tools/registry.ts');
      return toolsFor(config).map(({ name, description }) => [name, description]);
    },
  ],
  [
    /^(?:un)?install target$/,
    async () => {
      const { INSTALLABLE } = await import('../hosts/install/targets.ts');
      return INSTALLABLE.map((name) => [name, '']);
    },
  ],
];

/**
 * Adds `completion SHELL`, which prints a script for that shell, and `complete -- WORDS`, which the script calls at each
 * press of the key. An error there only leaves the suggestions out: a shell must not print one in the middle of a line.
 */
export async function addCompletion(
  program: Command,
  words: readonly string[],
  open: () => Promise<Opened>,
): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print a script that makes a shell complete these commands')
    .addHelpText(
      'before',
      examples(
        'source <(scratchpad completion bash)',
        'scratchpad completion zsh > ~/.local/share/zsh/site-functions/_scratchpad',
        'scratchpad completion fish > ~/.config/fish/completions/scratchpad.fish',
      ),
    )
    .action((shell: 'bash' | 'zsh' | 'fish' | 'powershell') => {
      if (shell === 'bash') write(1, BASH);
      else root.setup(program.name(), program.name(), shell);
    });
  if (words[0] !== 'complete') return;
  for (const [word, meant] of shortWords()) root.command(word, meant);
  const session = root.options.get('session');
  if (session && /^(?:-s|--session)$/.test(words.at(-2) ?? '')) {
    const offers = await open().then(sessionNames, () => []);
    session.handler = (complete) => {
      for (const [word, about] of offers) complete(word, about);
    };
  }
  const line = words.slice(words.indexOf('--') + 1).filter((word) => !word.startsWith('-'));
  for (const [name, command] of root.commands) {
    if (!name.split(' ').every((word, k) => line[k] === word)) continue;
    for (const argument of command.arguments.values()) {
      const found = NAMED.find(([pattern]) => pattern.test(`${name} ${argument.name}`));
      if (found === undefined) continue;
      const offers = await open()
        .then(found[1])
        .catch(() => []);
      argument.handler = (complete) => {
        for (const [word, about] of offers) complete(word, about);
      };
    }
  }
}

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

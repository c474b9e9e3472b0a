import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { examples } from './command.ts';
import { write } from './invocation.ts';
import type { Opened } from './open.ts';
import { shortWords } from './words.ts';

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
 * Adds `completion SHELL`, which prints a script for that shell, and `complete -- WORDS`, which the script calls at each press of the key. An error there only leaves the suggestions out: a shell
 * must not print an error in the middle of a line.
 */
export async function addCompletion(
  program: Command,
  words: readonly string[],
  open: () => Promise<Opened>,
): Promise<void> {
  const root = tab(program, { completionCommandName: 'completion' });
  const completion = program.commands.find((command) => command.name() === 'completion');
  completion
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
  for (const [word, meant] of shortWords()) root.command(word, `the same as: ${meant}`);
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

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { ensureFolder, writeAtomically } from '../fs/index.ts';
import type { Invocation } from './invocation.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * For bash. Words go to the program as typed, never through `eval`, which would run quoted input. Without
 * suggestions it completes files. It may be sourced twice.
 */
export const BASH = `# bash completion for scratchpad
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
export function installCompletion(invocation: Invocation, named: string | undefined): void {
  const { env } = invocation;
  const shell = SHELLS.find((name) => name === (named ?? env.SHELL?.split('/').at(-1)));
  const home = env.HOME ?? '';
  if (shell === undefined || shell === 'powershell' || home === '') {
    throw new ScratchpadError('usage', 'completion can be installed for bash, zsh and fish', {
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

import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The file as a whole. */
export function declarePad(program: Command, act: Act): void {
  program
    .command('init')
    .description('create SCRATCHPAD.md in this directory')
    .option('--tracked', 'in a git work tree: have git track the pad and merge it space by space')
    .addHelpText('after', examples('scratchpad init', 'scratchpad init --workspace ~/agent'))
    .action(act(async () => (await import('../init.ts')).init));
  program
    .command('show')
    .description('print the pad, one of its spaces, or the spaces at a revision')
    .argument('[what]', 'plan, notes, refs, state, or the number of a revision; the whole pad unless given')
    .addHelpText(
      'after',
      examples(
        'scratchpad show',
        'scratchpad show plan',
        'scratchpad show 7',
        'scratchpad show --session 7f3a',
      ),
    )
    .action(act(async () => (await import('../show.ts')).show));
  program
    .command('edit')
    .description('open SCRATCHPAD.md, a space or an entry in your editor ($VISUAL, $EDITOR)')
    .argument('[what]', 'plan, notes, refs, or the name of an entry; the whole file unless given')
    .addHelpText(
      'after',
      examples('scratchpad edit', 'scratchpad edit plan', 'EDITOR="code --wait" scratchpad edit'),
    )
    .action(act(async () => (await import('../edit.ts')).edit));
  program
    .command('search')
    .description(
      'find words in the spaces, the entries, the trail and the memory files; exits 1 if nothing matches',
    )
    .argument('<words...>', 'what to look for')
    .option('-n, --limit <n>', 'at most this many lines from each source (default 10)')
    .option('--in <sources>', 'only these, separated by commas: plan, notes, refs, entries, trail, memory')
    .addHelpText(
      'after',
      examples('scratchpad search timezone', 'scratchpad search --in notes,memory token expiry'),
    )
    .action(act(async () => (await import('../search.ts')).search));
  program
    .command('context')
    .description('print what the model is shown: the spaces, and the state block while it is fresh')
    .option(
      '--explain',
      'show what hooks told the model in its current context window, what they held back, and why',
    )
    .option('--host-session <id>', "with --explain: id of the host's session; the newest unless given")
    .addHelpText('after', examples('scratchpad context', 'scratchpad context --explain'))
    .action(act(async () => (await import('../context.ts')).context));
  program
    .command('merge')
    .description('merge two versions of a tracked pad, as a git merge driver; exits 1 on a conflict')
    .argument('<base>', 'the common ancestor')
    .argument('<ours>', 'one version; the result replaces it')
    .argument('<theirs>', 'the other version')
    .addHelpText('after', examples('scratchpad merge base.md ours.md theirs.md'))
    .action(act(async () => (await import('../merge.ts')).merge));
  program
    .command('check')
    .description('check how old the state block is and whether the file is intact; exits 4 if stale')
    .addHelpText('after', examples('scratchpad check', 'scratchpad check --quiet || scratchpad assemble'))
    .action(act(async () => (await import('../check.ts')).check));
  program
    .command('status')
    .description('show where things are, how full the spaces are, what ran last and what went wrong')
    .addHelpText('after', examples('scratchpad status', 'scratchpad status --json'))
    .action(act(async () => (await import('../status.ts')).status));
}

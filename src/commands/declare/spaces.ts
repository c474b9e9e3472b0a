import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

const TEXT = 'the text, or - to read it from stdin';

/** notes, plan and refs: the three owned spaces. */
export function declareSpaces(program: Command, act: Act): void {
  const notes = program.command('notes').description('findings, decisions, partial state (4,000 characters)');
  notes
    .command('show')
    .description('print the notes')
    .action(act(async () => (await import('../notes.ts')).show));
  notes
    .command('set')
    .description('replace the notes; what is over the limit is cut, with a warning')
    .argument('[text]', TEXT)
    .option('-f, --file <path>', 'read the text from a file')
    .action(act(async () => (await import('../notes.ts')).set));
  notes
    .command('append')
    .description('add a line; refused when it would not fit')
    .argument('[text]', TEXT)
    .option('-f, --file <path>', 'read the text from a file')
    .addHelpText('after', examples('scratchpad notes append "Root cause: timezone mismatch in token expiry"'))
    .action(act(async () => (await import('../notes.ts')).append));
  notes
    .command('prepend')
    .description('add a line at the top; refused when it would not fit')
    .argument('[text]', TEXT)
    .option('-f, --file <path>', 'read the text from a file')
    .action(act(async () => (await import('../notes.ts')).prepend));
  notes
    .command('replace')
    .description('replace a text that stands there exactly once')
    .argument('<find>', 'the text as it stands in the notes')
    .argument('<with>', 'what to put in its place')
    .option('--all', 'replace every match')
    .addHelpText('after', examples('scratchpad notes replace "port 8080" "port 9090"'))
    .action(act(async () => (await import('../notes.ts')).replace));
  notes
    .command('delete')
    .description('delete a text that stands there exactly once')
    .argument('<text>', 'the text as it stands in the notes')
    .option('--all', 'delete every match')
    .action(act(async () => (await import('../notes.ts')).remove));
  notes
    .command('clear')
    .description('empty the notes')
    .action(act(async () => (await import('../notes.ts')).clear));
  notes.addHelpText(
    'after',
    examples(
      'scratchpad notes append "Build fails only on arm64"',
      'git log -3 --oneline | scratchpad notes append -',
    ),
  );

  const plan = program.command('plan').description('the steps of the work at hand (2,000 characters)');
  plan
    .command('show')
    .description('print the plan')
    .action(act(async () => (await import('../plan.ts')).show));
  plan
    .command('set')
    .description('replace the plan; what is over the limit is cut, with a warning')
    .argument('[text]', TEXT)
    .option('-f, --file <path>', 'read the text from a file')
    .action(act(async () => (await import('../plan.ts')).set));
  plan
    .command('add')
    .description('add a step at the end')
    .argument('[text]', TEXT)
    .option('-f, --file <path>', 'read the text from a file')
    .action(act(async () => (await import('../plan.ts')).add));
  plan
    .command('done')
    .description('strike a step through and mark it DONE; the current marker moves on')
    .argument('<number>', 'number of the step')
    .action(act(async () => (await import('../plan.ts')).done));
  plan
    .command('current')
    .description('mark a step as the current one')
    .argument('<number>', 'number of the step')
    .action(act(async () => (await import('../plan.ts')).current));
  plan
    .command('clear')
    .description('empty the plan')
    .action(act(async () => (await import('../plan.ts')).clear));
  plan.addHelpText(
    'after',
    examples(
      'scratchpad plan set "1. Fix auth bug\n2. Add test"',
      'scratchpad plan done 1',
      'scratchpad plan current 2',
    ),
  );

  const refs = program.command('refs').description('files, URLs and identifiers to keep at hand (50 items)');
  refs
    .command('list')
    .alias('show')
    .description('one ref a line, oldest first')
    .action(act(async () => (await import('../refs.ts')).list));
  refs
    .command('add')
    .description('add a ref as the newest; the oldest goes when there are 50')
    .argument('[ref]', 'the ref, or - to read it from stdin')
    .option('-f, --file <path>', 'read the ref from a file')
    .action(act(async () => (await import('../refs.ts')).add));
  refs
    .command('remove')
    .description('remove a ref by its exact text')
    .argument('[ref]', 'the ref, or - to read it from stdin')
    .option('-f, --file <path>', 'read the ref from a file')
    .action(act(async () => (await import('../refs.ts')).remove));
  refs
    .command('set')
    .description('replace all refs; the first 50 are kept')
    .argument('[refs...]', 'the refs, or - for a JSON array or one a line on stdin')
    .option('-f, --file <path>', 'read them from a file')
    .action(act(async () => (await import('../refs.ts')).set));
  refs
    .command('clear')
    .description('remove all refs')
    .action(act(async () => (await import('../refs.ts')).clear));
  refs.addHelpText(
    'after',
    examples('scratchpad refs add src/auth/login.ts', 'git diff --name-only | scratchpad refs set -'),
  );
}

import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

const TEXT = 'the text, or - to read it from stdin';
const FILE = ['-f, --file <path>', 'read the text from a file'] as const;
const NUMBERS = ['--numbers', 'number the lines'] as const;

/**
 * notes, plan and refs: the three owned spaces. Each has the verbs show, add, set, edit, remove, move and clear, and
 * shows itself where no verb is given.
 */
export function declareSpaces(program: Command, act: Act): void {
  declareNotes(program.command('notes'), act);
  declarePlan(program.command('plan'), act);
  declareRefs(program.command('refs'), act);
}

function declareNotes(notes: Command, act: Act): void {
  notes.description('findings, decisions, partial state (4,000 characters)');
  notes
    .command('show', { isDefault: true })
    .description('print the notes')
    .option(...NUMBERS)
    .action(act(async () => (await import('../notes.ts')).show));
  notes
    .command('add')
    .alias('append')
    .description('add a line; refused if it does not fit')
    .argument('[text]', TEXT)
    .option(...FILE)
    .addHelpText('after', examples('scratchpad notes add "Root cause: timezone mismatch in token expiry"'))
    .action(act(async () => (await import('../notes.ts')).append));
  notes
    .command('prepend')
    .description('add a line at the top; refused if it does not fit')
    .argument('[text]', TEXT)
    .option(...FILE)
    .action(act(async () => (await import('../notes.ts')).prepend));
  notes
    .command('set')
    .description('replace the notes; text over the limit is cut, with a warning')
    .argument('[text]', TEXT)
    .option(...FILE)
    .action(act(async () => (await import('../notes.ts')).set));
  notes
    .command('edit')
    .description('change the text of a line, or open the notes in your editor')
    .argument('[line]', 'its number; the editor opens unless given')
    .argument('[text]', TEXT)
    .option(...FILE)
    .addHelpText('after', examples('scratchpad notes edit', 'scratchpad notes edit 3 "port 9090"'))
    .action(act(async () => (await import('../notes.ts')).edit));
  notes
    .command('replace')
    .description('replace a text that occurs exactly once')
    .argument('<find>', 'the text as it is in the notes')
    .argument('<with>', 'the new text')
    .option('--all', 'replace every match')
    .addHelpText('after', examples('scratchpad notes replace "port 8080" "port 9090"'))
    .action(act(async () => (await import('../notes.ts')).replace));
  notes
    .command('remove')
    .description('remove lines by number, or a text that occurs exactly once')
    .argument('<what...>', 'line numbers, or the text as it is in the notes')
    .option('--all', 'remove every match of the text')
    .addHelpText('after', examples('scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'))
    .action(act(async () => (await import('../notes.ts')).remove));
  notes
    .command('delete')
    .description('remove a text that occurs exactly once, even if it is a number')
    .argument('<text>', 'the text as it is in the notes')
    .option('--all', 'remove every match')
    .action(act(async () => (await import('../notes.ts')).removeText));
  notes
    .command('move')
    .description('move a line to the place of another')
    .argument('<line>', 'its number')
    .argument('<to>', 'the number of the place')
    .action(act(async () => (await import('../notes.ts')).move));
  notes
    .command('promote')
    .description("add this session's notes to the shared notes of all sessions")
    .action(act(async () => (await import('../notes.ts')).promote));
  notes
    .command('clear')
    .description('empty the notes')
    .action(act(async () => (await import('../notes.ts')).clear));
  notes.addHelpText(
    'after',
    examples(
      'scratchpad notes',
      'scratchpad notes add "Build fails only on arm64"',
      'git log -3 --oneline | scratchpad notes add -',
    ),
  );
}

function declarePlan(plan: Command, act: Act): void {
  plan.description('the steps of the current work (2,000 characters)');
  plan
    .command('show', { isDefault: true })
    .description('print the plan')
    .option(...NUMBERS)
    .action(act(async () => (await import('../plan.ts')).show));
  plan
    .command('add')
    .description('add a step at the end')
    .argument('[text]', TEXT)
    .option(...FILE)
    .action(act(async () => (await import('../plan.ts')).add));
  plan
    .command('set')
    .description('replace the plan; text over the limit is cut, with a warning')
    .argument('[text]', TEXT)
    .option(...FILE)
    .action(act(async () => (await import('../plan.ts')).set));
  plan
    .command('edit')
    .description('change the text of a step, or open the plan in your editor')
    .argument('[number]', 'number of the step; the editor opens unless given')
    .argument('[text]', TEXT)
    .option(...FILE)
    .action(act(async () => (await import('../plan.ts')).edit));
  plan
    .command('done')
    .description('strike steps through and mark them DONE; moves the current marker on')
    .argument('[numbers...]', 'numbers of the steps; the current one unless given')
    .action(act(async () => (await import('../plan.ts')).done));
  plan
    .command('undone')
    .description('reopen steps')
    .argument('<numbers...>', 'numbers of the steps')
    .action(act(async () => (await import('../plan.ts')).undone));
  plan
    .command('current')
    .description('mark a step as the current one')
    .argument('<number>', 'number of the step')
    .action(act(async () => (await import('../plan.ts')).current));
  plan
    .command('remove')
    .description('remove steps and renumber the rest')
    .argument('<numbers...>', 'numbers of the steps')
    .action(act(async () => (await import('../plan.ts')).remove));
  plan
    .command('move')
    .description('move a step to the place of another and renumber the plan')
    .argument('<number>', 'number of the step')
    .argument('<to>', 'number of the place')
    .action(act(async () => (await import('../plan.ts')).move));
  plan
    .command('clear')
    .description('empty the plan')
    .action(act(async () => (await import('../plan.ts')).clear));
  plan
    .command('take')
    .description('use the plan of another branch, work tree or day here')
    .action(act(async () => (await import('../plan.ts')).take));
  plan
    .command('adopt')
    .description("take over the agent's own task list, or the approved plan, from the last session")
    .option('--replace', 'replace the existing plan')
    .action(act(async () => (await import('../plan.ts')).adopt));
  plan.addHelpText(
    'after',
    examples(
      'scratchpad plan',
      'scratchpad plan set "1. Fix auth bug\n2. Add test"',
      'scratchpad plan done',
      'scratchpad plan move 3 1',
    ),
  );
}

function declareRefs(refs: Command, act: Act): void {
  refs.description('files, URLs and identifiers to keep at hand (50 items)');
  refs
    .command('show', { isDefault: true })
    .alias('list')
    .description('print one ref per line, oldest first')
    .option(...NUMBERS)
    .action(act(async () => (await import('../refs.ts')).show));
  refs
    .command('add')
    .description('add a ref as the newest; drops the oldest when there are 50')
    .argument('[ref]', 'the ref, or - to read it from stdin')
    .option('-f, --file <path>', 'read the ref from a file')
    .action(act(async () => (await import('../refs.ts')).add));
  refs
    .command('set')
    .description('replace all refs; the first 50 are kept')
    .argument('[refs...]', 'the refs, or - for a JSON array or one per line on stdin')
    .option('-f, --file <path>', 'read them from a file')
    .action(act(async () => (await import('../refs.ts')).set));
  refs
    .command('edit')
    .description('replace a ref, or open the refs in your editor')
    .argument('[ref]', 'its text or its number; the editor opens unless given')
    .argument('[replacement]', 'the new ref')
    .option('-f, --file <path>', 'read the replacement from a file')
    .action(act(async () => (await import('../refs.ts')).edit));
  refs
    .command('remove')
    .description('remove a ref by its exact text, or by its number')
    .argument('[ref]', 'the ref, or - to read it from stdin')
    .option('-f, --file <path>', 'read the ref from a file')
    .action(act(async () => (await import('../refs.ts')).remove));
  refs
    .command('move')
    .description('move a ref to another place; the first is the oldest')
    .argument('<ref>', 'its text or its number')
    .argument('<to>', 'number of the place')
    .action(act(async () => (await import('../refs.ts')).move));
  refs
    .command('clear')
    .description('remove all refs')
    .action(act(async () => (await import('../refs.ts')).clear));
  refs
    .command('adopt')
    .description('add the files that the last session worked with')
    .action(act(async () => (await import('../refs.ts')).adopt));
  refs.addHelpText(
    'after',
    examples(
      'scratchpad refs',
      'scratchpad refs add src/auth/login.ts',
      'git diff --name-only | scratchpad refs set -',
    ),
  );
}

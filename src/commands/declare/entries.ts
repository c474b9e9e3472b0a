import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Named entries, and commands whose output becomes one. */
export function declareEntries(program: Command, act: Act): void {
  const entry = program
    .command('entry')
    .description('named contents of any size, outside the conversation')
    .addHelpText(
      'after',
      examples(
        'curl -s https://example.com/api | scratchpad entry write response -',
        'scratchpad entry list',
        'scratchpad entry read response --offset 30000',
        'scratchpad entry search "TimeoutError"',
      ),
    );
  entry
    .command('write')
    .description('store a content; one that has the name already is overwritten')
    .argument('<name>', 'up to 200 characters')
    .argument('[text]', 'the content, or - for the bytes of stdin')
    .option('-f, --file <path>', 'take the bytes of a file')
    .option('-a, --append', 'add to what is there')
    .addHelpText('after', examples('curl -s https://example.com/api | scratchpad entry write response -'))
    .action(act(async () => (await import('../entry.ts')).write));
  entry
    .command('read')
    .description('a piece of an entry, or the lines that match')
    .argument('<name>', 'the entry')
    .option('--offset <n>', 'characters to pass over')
    .option('-n, --limit <n>', 'most characters (30,000 unless given); with --regex most lines (100)')
    .option('-e, --regex <pattern>', 'only matching lines, with their numbers (RE2 syntax)')
    .option('-i, --ignore-case', 'upper and lower case are the same')
    .option('-C, --context <n>', 'lines around each match')
    .option('--raw', 'all of its bytes, as they are')
    .addHelpText(
      'after',
      examples(
        'scratchpad entry read execute_command_1 --offset 30000',
        'scratchpad entry read build -e "error|warn" -C 2',
      ),
    )
    .action(act(async () => (await import('../entry.ts')).read));
  entry
    .command('edit')
    .description(
      'replace the whole content or a text that stands there exactly once, or open it in your editor',
    )
    .argument('<name>', 'the entry')
    .option('--content <text>', 'the new content')
    .option('-f, --file <path>', 'read the new content from a file')
    .option('--old <text>', 'the text as it stands there')
    .option('--new <text>', 'what to put in its place; "" takes it out')
    .option('--all', 'replace every match')
    .action(act(async () => (await import('../entry.ts')).edit));
  entry
    .command('list', { isDefault: true })
    .description('all entries with size, time and origin')
    .option('--past', 'what was overwritten or deleted and can be brought back')
    .action(act(async () => (await import('../entry.ts')).list));
  entry
    .command('delete')
    .description('delete entries; their last versions are kept for a while')
    .argument('<names...>', 'the entries')
    .option('--for-good', 'keep nothing of them')
    .action(act(async () => (await import('../entry.ts')).remove));
  entry
    .command('undelete')
    .description('bring back what a name held before it was overwritten or deleted')
    .argument('<name>', 'the entry')
    .action(act(async () => (await import('../entry.ts')).undelete));
  entry
    .command('rename')
    .description('give an entry another name')
    .argument('<from>', 'its name')
    .argument('<to>', 'its new name')
    .option('--force', 'overwrite an entry that has it')
    .action(act(async () => (await import('../entry.ts')).rename));
  entry
    .command('merge')
    .description('put entries one after the other into one')
    .argument('<into>', 'the entry to make')
    .argument('<names...>', 'the parts, in order')
    .option('--separator <text>', 'stands between two parts; a line end where one is missing unless given')
    .option('--remove', 'delete the parts afterwards')
    .option('--force', 'overwrite an entry of that name')
    .action(act(async () => (await import('../entry.ts')).merge));
  entry
    .command('load')
    .description('store the bytes of a file')
    .argument('<name>', 'the entry')
    .argument('<file>', 'the file')
    .action(act(async () => (await import('../entry.ts')).load));
  entry
    .command('save')
    .description('write the bytes of an entry to a file')
    .argument('<name>', 'the entry')
    .argument('<file>', 'the file')
    .option('--force', 'overwrite a file that is there')
    .action(act(async () => (await import('../entry.ts')).save));
  entry
    .command('search')
    .description('matching lines in all entries, or in some (RE2 syntax, at most 100 lines)')
    .argument('<pattern>', 'a regular expression')
    .argument('[names...]', 'the entries, all unless given')
    .option('-i, --ignore-case', 'upper and lower case are the same')
    .option('-C, --context <n>', 'lines around each match')
    .action(act(async () => (await import('../entry.ts')).search));
  entry
    .command('prune')
    .description('remove outputs that were kept by themselves and are past outputs.keep or outputs.size')
    .option('--dry-run', 'only say which')
    .action(act(async () => (await import('../entry.ts')).prune));
  program
    .command('run')
    .description('run a command; an output that is too long is kept as an entry and shown as a preview')
    .argument('<command...>', 'the command and its arguments; all that follows its name is its own')
    .option('--scratchpad <name>', 'keep the output under this name, however short it is')
    .option('--limit <n>', 'characters that are shown whole (30,000 unless given)')
    .option('--preview <n>', 'characters of a preview (2,000 unless given)')
    .addHelpText('after', examples('scratchpad run npm test', 'scratchpad run --scratchpad tests pytest -q'))
    .action(act(async () => (await import('../run.ts')).run));
}

import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Named entries, and commands whose output becomes one. */
export function declareEntries(program: Command, act: Act): void {
  const entry = program
    .command('entry')
    .description('named contents of any size, kept outside the conversation')
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
    .description('store a content under a name; overwrites an entry of that name')
    .argument('<name>', 'up to 200 characters')
    .argument('[text]', 'the content, or - for the bytes of stdin')
    .option('-f, --file <path>', 'store the bytes of a file')
    .option('-a, --append', 'append to the entry')
    .addHelpText('after', examples('curl -s https://example.com/api | scratchpad entry write response -'))
    .action(act(async () => (await import('../entry.ts')).write));
  entry
    .command('read')
    .description('print part of an entry, or the lines that match')
    .argument('<name>', 'the entry')
    .option('--offset <n>', 'how many characters to skip')
    .option(
      '-n, --limit <n>',
      'at most this many characters (default 30,000), with --regex this many lines (default 100)',
    )
    .option('-e, --regex <pattern>', 'print only matching lines, with their numbers (RE2 syntax)')
    .option('-i, --ignore-case', 'ignore case')
    .option('-C, --context <n>', 'lines to show around each match')
    .option('--raw', 'print all of its bytes unchanged')
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
      'replace the whole content or a text that occurs exactly once, or open the entry in your editor',
    )
    .argument('<name>', 'the entry')
    .option('--content <text>', 'the new content')
    .option('-f, --file <path>', 'read the new content from a file')
    .option('--old <text>', 'the text to replace')
    .option('--new <text>', 'the new text; "" deletes the old one')
    .option('--all', 'replace every match')
    .action(act(async () => (await import('../entry.ts')).edit));
  entry
    .command('list', { isDefault: true })
    .description('list all entries with size, time and origin')
    .option('--past', 'list overwritten and deleted entries that can be restored')
    .action(act(async () => (await import('../entry.ts')).list));
  entry
    .command('delete')
    .description('delete entries; their last versions are kept for a while')
    .argument('<names...>', 'the entries')
    .option('--for-good', 'delete them permanently')
    .action(act(async () => (await import('../entry.ts')).remove));
  entry
    .command('undelete')
    .description('restore an entry as it was before it was overwritten or deleted')
    .argument('<name>', 'the entry')
    .option('--back <count>', 'how many versions back (1)')
    .action(act(async () => (await import('../entry.ts')).undelete));
  entry
    .command('rename')
    .description('rename an entry')
    .argument('<from>', 'its name')
    .argument('<to>', 'its new name')
    .option('--force', 'overwrite an existing entry of that name')
    .action(act(async () => (await import('../entry.ts')).rename));
  entry
    .command('merge')
    .description('concatenate entries into one')
    .argument('<into>', 'the entry to create')
    .argument('<names...>', 'the parts, in order')
    .option('--separator <text>', 'text between two parts; a newline where one is missing unless given')
    .option('--remove', 'delete the parts afterwards')
    .option('--force', 'overwrite an existing entry of that name')
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
    .option('--force', 'overwrite an existing file')
    .action(act(async () => (await import('../entry.ts')).save));
  entry
    .command('search')
    .description('print matching lines of all entries, or of some (RE2 syntax, at most 100 lines)')
    .argument('<pattern>', 'a regular expression')
    .argument('[names...]', 'the entries; all unless given')
    .option('-i, --ignore-case', 'ignore case')
    .option('-C, --context <n>', 'lines to show around each match')
    .action(act(async () => (await import('../entry.ts')).search));
  entry
    .command('prune')
    .description('remove automatically kept outputs that exceed outputs.keep or outputs.size')
    .option('--dry-run', 'only list them')
    .action(act(async () => (await import('../entry.ts')).prune));
  program
    .command('run')
    .description('run a command; if its output is too long, keep it as an entry and show a preview')
    .argument('<command...>', 'the command and its arguments; options after its name belong to it')
    .option('--scratchpad <name>', 'always keep the output, under this name')
    .option('--limit <n>', 'the longest output to show in full (default 30,000 characters)')
    .option('--preview <n>', 'length of a preview (default 2,000 characters)')
    .addHelpText('after', examples('scratchpad run npm test', 'scratchpad run --scratchpad tests pytest -q'))
    .action(act(async () => (await import('../run.ts')).run));
}

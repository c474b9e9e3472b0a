import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The notes as a notepad: the words that agents' tools use. */
export function declareNotepad(program: Command, act: Act): void {
  const notepad = program
    .command('notepad')
    .description('the notes, under the names that the notepad tools use')
    .addHelpText(
      'after',
      examples(
        'scratchpad notepad read',
        'scratchpad notepad write --file findings.md',
        'scratchpad notepad update append --content "- [ ] Sheet 2"',
      ),
    );
  notepad
    .command('read', { isDefault: true })
    .description('print the notepad')
    .action(act(async () => (await import('../notepad.ts')).read));
  notepad
    .command('section')
    .description('print it as a section for a system prompt; while it is empty, explain its use')
    .action(act(async () => (await import('../notepad.ts')).section));
  notepad
    .command('write')
    .description('replace everything')
    .argument('[text]', 'the text, or - to read it from stdin')
    .option('-f, --file <path>', 'read the text from a file')
    .action(act(async () => (await import('../notepad.ts')).write));
  notepad
    .command('update')
    .description('change part of it: find_replace, append, prepend or delete')
    .argument('<operation>', 'which of these')
    .option('--content <text>', 'the text to add or to delete; - for stdin')
    .option('-f, --file <path>', 'read the text from a file')
    .option('--find <text>', 'for find_replace: the text to replace')
    .option('--replace <text>', 'for find_replace: the new text')
    .option('--replace-all', 'replace or delete every match')
    .addHelpText(
      'after',
      examples('scratchpad notepad update find_replace --find "- [ ] Sheet 1" --replace "- [x] Sheet 1"'),
    )
    .action(act(async () => (await import('../notepad.ts')).update));
}

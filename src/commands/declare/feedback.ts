import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What people say of the answers, and how it went. */
export function declareFeedback(program: Command, act: Act): void {
  program
    .command('feedback')
    .description('rate the answers: their length, preamble and tone lean that way for some weeks')
    .argument('[remark...]', 'such as "too verbose"; - for stdin')
    .option('--verbosity <less|more>', 'state the length directly, for remarks in any language')
    .option('--preamble <less|more>', 'the same for text before the answer')
    .option('--tone <tone>', 'the same for the tone: direct, warm, playful or professional')
    .option('--good', 'the answer was right; keep the style it was given in')
    .option('--person <name>', 'who gives the feedback, as named by the host; the last speaker unless given')
    .option('--list', 'list the remarks and their effect now')
    .option('--reset', 'forget all remarks, or those of --person')
    .addHelpText(
      'after',
      examples(
        'scratchpad feedback "too verbose"',
        'scratchpad feedback "zu lang" --verbosity less',
        'scratchpad feedback --list',
        'scratchpad feedback --reset --person Ray',
      ),
    )
    .action(act(async () => (await import('../feedback.ts')).feedback));
  program
    .command('audit')
    .description(
      'show for the last sessions the advice given, the length of the answers, and the feedback on them',
    )
    .option('-n, --sessions <n>', 'how many sessions (default 5)')
    .option('-t, --transcript <file>', 'read this session file of a host')
    .option('--forget', 'delete what mood.history has kept')
    .addHelpText('after', examples('scratchpad audit', 'scratchpad audit --sessions 20 --json'))
    .action(act(async () => (await import('../audit.ts')).audit));
}

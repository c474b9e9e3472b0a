import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What people say of the answers, and how it went. */
export function declareFeedback(program: Command, act: Act): void {
  program
    .command('feedback')
    .description('say how the answers were: length, preamble and tone lean that way for some weeks')
    .argument('[remark...]', 'such as "too verbose"; - for stdin')
    .option('--verbosity <less|more>', 'name what is meant, in place of English words')
    .option('--preamble <less|more>', 'the same for words before the answer')
    .option('--tone <tone>', 'the same: direct, warm, playful or professional')
    .option('--good', 'it was right: hold on to how that answer was given')
    .option('--person <name>', 'who says it, as the host names them; the last speaker unless given')
    .option('--list', 'what was said, and what it comes to now')
    .option('--reset', 'forget it all, or what --person has said')
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
      'how the last sessions were to be answered, how long the answers were, what was said of them',
    )
    .option('-n, --sessions <n>', 'how many sessions, 5 unless given')
    .option('-t, --transcript <file>', "this session file of a host's")
    .option('--forget', 'delete what mood.history has kept')
    .addHelpText('after', examples('scratchpad audit', 'scratchpad audit --sessions 20 --json'))
    .action(act(async () => (await import('../audit.ts')).audit));
}

import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The tools that agents call, for scripts and over MCP. */
export function declareTool(program: Command, act: Act): void {
  program
    .command('tool')
    .description('call one of the agent tools: JSON on stdin, JSON on stdout')
    .argument('[name]', 'the tool; without it the tools are listed')
    .addHelpText(
      'after',
      examples(
        'scratchpad tool --json',
        `echo '{"action":"append_notes","content":"Root cause found"}' | scratchpad tool session.scratchpad`,
      ),
    )
    .action(act(async () => (await import('../tool.ts')).tool));
}

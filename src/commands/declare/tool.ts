import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The tools that agents call, for scripts and over MCP. */
export function declareTool(program: Command, act: Act): void {
  program
    .command('tool')
    .description('call one of the agent tools: JSON on stdin, JSON on stdout')
    .argument('[name]', 'the tool; lists the tools unless given')
    .addHelpText(
      'after',
      examples(
        'scratchpad tool --json',
        `echo '{"action":"append_notes","content":"Root cause found"}' | scratchpad tool session.scratchpad`,
      ),
    )
    .action(act(async () => (await import('../tool.ts')).tool));
  program
    .command('mcp')
    .description('serve the agent tools over MCP on stdin and stdout')
    .option('--http [port]', 'serve on 127.0.0.1 instead; on any free port unless one is given')
    .option(
      '--token <token>',
      'with --http: the token that clients must send; SCRATCHPAD_MCP_TOKEN or a random one unless given',
    )
    .addHelpText(
      'after',
      examples('claude mcp add scratchpad -- scratchpad mcp', 'scratchpad mcp --http 7333'),
    )
    .action(act(async () => (await import('../mcp.ts')).mcp));
}

import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The scratchpad inside the agents that use it. */
export function declareHosts(program: Command, act: Act): void {
  program
    .command('hook')
    .description('answer one event of a host: its JSON on stdin, its form on stdout, always code 0')
    .argument('<host>', 'claude-code, codex or gemini-cli')
    .argument('[event]', "the host's name of the event; else what stdin says")
    .addHelpText('after', examples('scratchpad hook claude-code UserPromptSubmit < event.json'))
    .action(act(async () => (await import('../hook.ts')).hook));
}

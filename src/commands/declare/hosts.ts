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
  for (const [verb, about] of [
    ['install', 'wire the scratchpad into a host; shows the change and asks'],
    ['uninstall', 'take an installation back, to the byte'],
  ] as const) {
    program
      .command(verb)
      .description(about)
      .argument('<host>', 'claude-code, codex, gemini-cli, openclaw, or agents-md for the guidance alone')
      .option('--scope <scope>', 'project (default), local, or user: whose settings it goes into')
      .option('--file <path>', 'for agents-md: another file than AGENTS.md, such as CLAUDE.md')
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the change and write nothing')
      .addHelpText(
        'after',
        examples(`scratchpad ${verb} claude-code`, `scratchpad ${verb} agents-md --file CLAUDE.md --yes`),
      )
      .action(act(async () => (await import('../install.ts'))[verb]));
  }
  program
    .command('guidance')
    .description('print what a system prompt or AGENTS.md should say of the scratchpad')
    .action(act(async () => (await import('../guidance.ts')).guidance));
  program
    .command('doctor')
    .description('find what keeps the scratchpad from reaching the agent; exits 1 when something does')
    .action(act(async () => (await import('../doctor.ts')).doctor));
}

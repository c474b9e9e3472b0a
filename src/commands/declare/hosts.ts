import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

const TARGETS =
  'a host (claude-code, codex, gemini-cli, openclaw), agents-md for only the guidance, or a timer (cron, systemd, launchd, openclaw-automation)';

/** The scratchpad inside the agents that use it. */
export function declareHosts(program: Command, act: Act): void {
  program
    .command('install')
    .description(
      'connect the scratchpad to a host, or set up a timer that assembles; shows the change and asks',
    )
    .argument('<target>', TARGETS)
    .option(
      '--scope <scope>',
      'for a host: local (default: you, here), project (shared) or user (you, everywhere)',
    )
    .option('--details', 'show every line of the change')
    .option('--file <path>', 'for agents-md: a file other than AGENTS.md, such as CLAUDE.md')
    .option('--every <duration>', 'for a timer: how often (default 10m, unless --cron is given)')
    .option('--cron <expression>', 'for cron and openclaw-automation: minute hour day month weekday')
    .option('--active-hours <from-until>', 'for a timer: only between these hours, such as 07:00-23:00')
    .option('--timezone <zone>', 'for a timer: time zone of the active hours')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the change and write nothing')
    .addHelpText(
      'after',
      examples(
        'scratchpad install claude-code',
        'scratchpad install agents-md --file CLAUDE.md --yes',
        'scratchpad install systemd --every 10m --active-hours 07:00-23:00',
        'scratchpad install cron --dry-run',
      ),
    )
    .action(act(async () => (await import('../install.ts')).install));
  program
    .command('uninstall')
    .description('revert an installation, byte for byte')
    .argument('[target]', TARGETS)
    .option('--all', 'every installation: those of this workspace and your own in every scope')
    .option('--scope <scope>', 'local, project or user; every scope where this project has it unless given')
    .option('--details', 'show every line of the change')
    .option('--file <path>', 'for agents-md: the file given to install')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the change and write nothing')
    .addHelpText('after', examples('scratchpad uninstall claude-code', 'scratchpad uninstall --all'))
    .action(act(async () => (await import('../install.ts')).uninstall));
  program
    .command('guidance')
    .description('print what a system prompt or AGENTS.md should say about the scratchpad')
    .option('--tools', 'for an agent that has the tools (MCP, the library) instead of a shell')
    .addHelpText('after', examples('scratchpad guidance >> AGENTS.md'))
    .action(act(async () => (await import('../guidance.ts')).guidance));
  program
    .command('doctor')
    .description('find what keeps the scratchpad from reaching the agent; exits 1 if something does')
    .addHelpText('after', examples('scratchpad doctor'))
    .action(act(async () => (await import('../doctor.ts')).doctor));
  program
    .command('hook')
    .description(
      "answer one hook event of a host: its JSON on stdin, the host's format on stdout, always exits 0",
    )
    .argument('<host>', 'claude-code, codex or gemini-cli')
    .argument('[event]', "the host's name for the event; taken from stdin unless given")
    .option('--tools', "name the MCP server's tools to the agent instead of commands")
    .addHelpText('after', examples('scratchpad hook claude-code UserPromptSubmit < event.json'))
    .action(act(async () => (await import('../hook.ts')).hook));
}

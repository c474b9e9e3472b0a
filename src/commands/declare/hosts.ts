import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

const TARGETS =
  'a host (claude-code, codex, gemini-cli, openclaw), agents-md for the guidance alone, or a timer (cron, systemd, launchd, openclaw-automation)';

/** The scratchpad inside the agents that use it. */
export function declareHosts(program: Command, act: Act): void {
  program
    .command('install')
    .description('wire the scratchpad into a host, or have a timer assemble; shows the change and asks')
    .argument('<target>', TARGETS)
    .option(
      '--scope <scope>',
      'for a host: local (default: you, here), project (shared) or user (you, everywhere)',
    )
    .option('--details', 'show every line of the change')
    .option('--file <path>', 'for agents-md: another file than AGENTS.md, such as CLAUDE.md')
    .option('--every <duration>', 'for a timer: so often (10m unless --cron is given)')
    .option('--cron <expression>', 'for cron and openclaw-automation: minute hour day month weekday')
    .option('--active-hours <from-until>', 'for a timer: only in this part of the day, such as 07:00-23:00')
    .option('--timezone <zone>', 'for a timer: whose clock the active hours go by')
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
    .description('take an installation back, to the byte')
    .argument('[target]', TARGETS)
    .option('--all', 'every installation: of this workspace, and of this person in every scope')
    .option('--scope <scope>', 'local, project or user; without it wherever this project has it')
    .option('--details', 'show every line of the change')
    .option('--file <path>', 'for agents-md: the file, as it was installed')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the change and write nothing')
    .addHelpText('after', examples('scratchpad uninstall claude-code', 'scratchpad uninstall --all'))
    .action(act(async () => (await import('../install.ts')).uninstall));
  program
    .command('guidance')
    .description('print what a system prompt or AGENTS.md should say of the scratchpad')
    .option('--tools', 'to an agent that has the tools (MCP, the library) instead of a shell')
    .addHelpText('after', examples('scratchpad guidance >> AGENTS.md'))
    .action(act(async () => (await import('../guidance.ts')).guidance));
  program
    .command('doctor')
    .description('find what keeps the scratchpad from reaching the agent; exits 1 when something does')
    .addHelpText('after', examples('scratchpad doctor'))
    .action(act(async () => (await import('../doctor.ts')).doctor));
  program
    .command('hook')
    .description('answer one event of a host: its JSON on stdin, its form on stdout, always code 0')
    .argument('<host>', 'claude-code, codex or gemini-cli')
    .argument('[event]', "the host's name of the event; else what stdin says")
    .option(
      '--tools',
      'that the host has the tools of the MCP server: the agent is told of those, not of commands',
    )
    .addHelpText('after', examples('scratchpad hook claude-code UserPromptSubmit < event.json'))
    .action(act(async () => (await import('../hook.ts')).hook));
}

import { type Family, from } from './family.ts';

/** The scratchpad inside the agents that use it, and what keeps assembling on its own. */
export const AGENTS: Family = {
  heading: 'Agents and automation:',
  commands: [
    ...from(() => import('../install.ts'), {
      install: {
        about:
          'connect the scratchpad to a host, or set up a timer that assembles; shows the change and asks',
        takes: {
          '[target]':
            'a host (claude-code, codex, gemini-cli, openclaw), agents-md for only the guidance, or a timer (cron, systemd)',
          '--scope <scope>':
            'for a host: local (default: you, here), project (shared) or user (you, everywhere)',
          '--details': 'show every line of the change',
          '--file <path>': 'for agents-md: a file other than AGENTS.md, such as CLAUDE.md',
          '--every <duration>': 'for a timer: how often (default 10m, unless --cron is given)',
          '--cron <expression>': 'for cron: minute hour day month weekday',
          '--active-hours <from-until>': 'for a timer: only between these hours, such as 07:00-23:00',
          '--timezone <zone>': 'for a timer: time zone of the active hours',
          '-y, --yes': 'do not ask',
          '--dry-run': 'show the change and write nothing',
        },
        examples: ['scratchpad install claude-code', 'scratchpad install agents-md --file CLAUDE.md --yes'],
      },
      uninstall: {
        about: 'revert an installation, byte for byte',
        takes: {
          '[target]':
            'a host (claude-code, codex, gemini-cli, openclaw), agents-md for only the guidance, or a timer (cron, systemd, or one of an earlier version: launchd, openclaw-automation)',
          '--all': 'every installation: those of this workspace and your own in every scope',
          '--scope <scope>': 'local, project or user; every scope where this project has it unless given',
          '--details': 'show every line of the change',
          '--file <path>': 'for agents-md: the file given to install',
          '-y, --yes': 'do not ask',
          '--dry-run': 'show the change and write nothing',
        },
        examples: ['scratchpad uninstall claude-code', 'scratchpad uninstall --all'],
      },
    }),
    ...from(() => import('../tools.ts'), {
      guidance: {
        about: 'print what a system prompt or AGENTS.md should say about the scratchpad',
        takes: { '--tools': 'for an agent that has the tools (MCP, the library) instead of a shell' },
        examples: ['scratchpad guidance >> AGENTS.md'],
      },
    }),
    ...from(() => import('../doctor.ts'), {
      doctor: {
        about:
          'find what keeps the scratchpad from reaching the agent; exits 1 if something does, 0 with a warning while no host is connected',
        examples: ['scratchpad doctor'],
      },
    }),
    ...from(() => import('../hook.ts'), {
      hook: {
        about:
          "answer one hook event of a host: its JSON on stdin, the host's format on stdout, always exits 0",
        takes: {
          '<host>': 'claude-code, codex or gemini-cli',
          '[event]': "the host's name for the event; taken from stdin unless given",
          '--tools': "name the MCP server's tools to the agent instead of commands",
        },
        examples: ['scratchpad hook claude-code UserPromptSubmit < event.json'],
      },
    }),
    ...from(() => import('../automatic.ts'), {
      watch: {
        about: 'assemble whenever the session, a memory file or a setting changes; ends on a signal',
        takes: {
          '-t, --transcript <file>': 'watch this session file; it need not exist yet',
          '--debounce <duration>': ['wait until nothing has changed for this long', '1s'],
          '--interval <duration>': ['shortest time between two runs', '10s'],
          '--poll [duration]': 'poll the files (default every 5s), for network drives without change events',
          '--once': 'end after the first change',
          '--stdin': 'end when stdin closes, as when the program that started it ends',
        },
        examples: ['scratchpad watch', 'scratchpad watch --interval 1m --quiet &'],
      },
      schedule: {
        about: 'assemble on a schedule, in the foreground; ends on a signal',
        takes: {
          '--every <duration>': 'how often, starting now (default 10m, unless --cron is given)',
          '--cron <expression>': 'at these times: minute hour day month weekday',
          '--active-hours <from-until>': 'only between these hours, such as 07:00-23:00',
          '--timezone <zone>': 'time zone of the schedule; the configured zone unless given',
          '--stdin': 'end when stdin closes, as when the program that started it ends',
          '--dry-run': 'only print the next runs',
        },
        examples: [
          'scratchpad schedule --every 10m --active-hours 07:00-23:00',
          'scratchpad schedule --cron "*/15 8-18 * * MON-FRI" --timezone Europe/Berlin --dry-run',
        ],
      },
    }),
    ...from(() => import('../tools.ts'), {
      tool: {
        about: 'call one of the agent tools: JSON on stdin, JSON on stdout',
        takes: { '[name]': 'the tool; lists the tools unless given' },
        examples: [
          'scratchpad tool --json',
          `echo '{"action":"append_notes","content":"Root cause found"}' | scratchpad tool session.scratchpad`,
        ],
      },
      mcp: {
        about: 'serve the agent tools over MCP on stdin and stdout',
        takes: {
          '--all-tools': 'offer every tool, not only session_scratchpad, scratchpad_read and memory_search',
        },
        examples: ['claude mcp add scratchpad -- scratchpad mcp', 'scratchpad mcp --all-tools'],
      },
    }),
  ],
};

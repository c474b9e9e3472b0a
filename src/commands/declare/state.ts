import { type Family, from } from './family.ts';

/** Reading a session and writing the state block, and a look at what goes into it. */
export const STATE: Family = {
  heading: 'Current state:',
  commands: [
    ...from(() => import('../assemble.ts'), {
      assemble: {
        about: 'read the last session and the memory files, and write the state block',
        takes: {
          '-m, --messages <file>': 'messages as a JSON array or JSONL, - for stdin',
          '-t, --transcript <file>': "a host's session file",
          '--ttl <duration>': 'how long the block counts as fresh, such as 90s, 30m, 2h',
          '--dry-run': 'print the block and write nothing',
          '--explain': 'say why each line is there',
          '--if-stale': 'do nothing while the block is fresh',
          '--no-reply': 'print only NO_REPLY, which keeps an OpenClaw automation silent',
          '--trigger <name>': 'name of the calling timer, for status',
          '--active-hours <from-until>': 'do nothing outside these hours, such as 07:00-23:00',
          '--timezone <zone>': 'time zone of the active hours; the configured zone unless given',
        },
        examples: ['scratchpad assemble', 'scratchpad assemble --if-stale --quiet'],
      },
    }),
    {
      name: 'memory',
      about: 'search MEMORY.md, USER.md and memory/',
      examples: ['scratchpad memory search where does the cluster config live', 'scratchpad memory status'],
      verbs: [
        ...from(() => import('../memory.ts'), {
          search: {
            about: 'print the lines that answer a question, best first',
            takes: {
              '[query...]': 'what to look for; - for stdin',
              '-n, --limit <n>': 'at most this many lines',
              '--explain': 'explain the score of each line',
              '--redact': 'remove secrets and personal data from the answers of --batch, too',
              '--no-redact': 'print secrets and personal data as they are in the files',
              '--batch': 'one JSON request per line on stdin, one answer per line on stdout',
            },
            examples: [
              'scratchpad memory search where does the cluster config live',
              'scratchpad memory search --explain "what did we decide about backups in January?"',
            ],
          },
          index: {
            about: 'rebuild the index; searches do so on their own when needed',
            takes: { '--changed': 'only bring the index up to date' },
          },
          status: {
            about: 'show what is searched, what is left out and why, and whether the index is intact',
            usual: true,
          },
        }),
      ],
    },
    ...from(() => import('../mood.ts'), {
      mood: {
        about:
          'show the mood of the person who spoke last, the evidence for it, and how to answer; stores nothing',
        takes: {
          '-m, --messages <file>': 'messages as a JSON array or JSONL, - for stdin',
          '-t, --transcript <file>': "a host's session file",
          '--explain': 'show every reading, all cues found, and the mood each speaks for',
          '--batch': 'one JSON request per line on stdin, one answer per line on stdout',
        },
        examples: [
          'scratchpad mood',
          'scratchpad mood --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl',
        ],
      },
    }),
    ...from(() => import('../feedback.ts'), {
      feedback: {
        about: 'rate the answers: their length, preamble and tone lean that way for some weeks',
        takes: {
          '[remark...]': 'such as "too verbose"; - for stdin',
          '--verbosity <less|more>': 'state the length directly, for remarks in any language',
          '--preamble <less|more>': 'the same for text before the answer',
          '--tone <tone>': 'the same for the tone: direct, warm, playful or professional',
          '--good': 'the answer was right; keep the style it was given in',
          '--person <name>': 'who gives the feedback, as named by the host; the last speaker unless given',
          '--list': 'list the remarks and their effect now',
          '--reset': 'forget all remarks, or those of --person',
        },
        examples: ['scratchpad feedback "too verbose"', 'scratchpad feedback "zu lang" --verbosity less'],
      },
    }),
    ...from(() => import('../audit.ts'), {
      audit: {
        about:
          'show for the last sessions the advice given, the length of the answers, and the feedback on them',
        takes: {
          '-n, --sessions <n>': 'how many sessions (default 5)',
          '-t, --transcript <file>': 'read this session file of a host',
        },
        examples: ['scratchpad audit', 'scratchpad audit --sessions 20 --json'],
      },
    }),
    {
      name: 'handover',
      about:
        'show where the last session stands and what the person said in it, as a next session may be told',
      also: ['trail'],
      examples: ['scratchpad handover', 'scratchpad handover --json'],
      verbs: [
        ...from(() => import('../handover.ts'), {
          show: {
            about: 'print the state, the messages and what fails here, each with the reason',
            usual: true,
            takes: { '-t, --transcript <file>': 'of this session file of a host, without storing anything' },
          },
          forget: {
            about: 'leave these messages out from now on',
            takes: { '<numbers...>': 'numbers that `scratchpad handover` shows' },
          },
        }),
      ],
    },
    {
      name: 'transcript',
      about: 'show the sessions of the hosts, as scratchpad reads them',
      examples: ['scratchpad transcript list --limit 5', 'scratchpad transcript show --limit 20'],
      verbs: [
        ...from(() => import('../transcript.ts'), {
          list: {
            about: 'list the sessions of this workspace from all hosts, most recently active first',
            usual: true,
            takes: { '-n, --limit <n>': 'how many to list; all unless given' },
          },
          show: {
            about: 'print the messages of a session, and what was skipped in it',
            takes: {
              '[file]':
                'a session file of any host, - for stdin; that of --session, or the most recently active one, unless given',
              '-n, --limit <n>': 'only the last messages, as assemble would see them; all unless given',
            },
            examples: [
              'scratchpad transcript show',
              'scratchpad transcript show ~/.codex/sessions/2026/02/06/rollout-2026-02-06.jsonl --limit 20',
            ],
          },
        }),
      ],
    },
  ],
};

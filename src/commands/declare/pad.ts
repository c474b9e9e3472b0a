import { type Family, from } from './family.ts';

/** The file as a whole, and ways to look at a session: a page, a line. */
export const PAD: Family = {
  heading: 'Pad:',
  commands: [
    ...from(() => import('../init.ts'), {
      init: {
        about: 'create SCRATCHPAD.md in this directory',
        takes: { '--tracked': 'in a git work tree: have git track the pad and merge it space by space' },
        examples: ['scratchpad init', 'scratchpad init --workspace ~/agent'],
      },
    }),
    ...from(() => import('../show.ts'), {
      show: {
        about: 'print the pad, one of its spaces, an entry, or the spaces at a revision',
        takes: {
          '[what]':
            'plan, notes, refs, state, an entry, or the number of a revision; the whole pad unless given',
        },
        examples: ['scratchpad show', 'scratchpad show plan'],
      },
    }),
    ...from(() => import('../edit.ts'), {
      edit: {
        about: 'open SCRATCHPAD.md, a space or an entry in your editor ($VISUAL, $EDITOR)',
        takes: { '[what]': 'plan, notes, refs, or the name of an entry; the whole file unless given' },
        examples: ['scratchpad edit', 'scratchpad edit plan'],
      },
    }),
    ...from(() => import('../search.ts'), {
      search: {
        about:
          "find words in the spaces, the entries, the last session's messages and the memory files; exits 1 if nothing matches",
        takes: {
          '<words...>': 'what to look for',
          '-n, --limit <n>': 'at most this many lines from each source (default 10)',
          '--in <sources>': 'only these, separated by commas: plan, notes, refs, entries, handover, memory',
        },
        examples: ['scratchpad search timezone', 'scratchpad search --in notes,memory token expiry'],
      },
    }),
    ...from(() => import('../look.ts'), {
      context: {
        about:
          'print what a model is shown that has no hooks: the spaces, and the state block while it is fresh',
        takes: {
          '--explain':
            'show what hooks told the model in its current context window, what they left out, and why',
          '--host-session <id>': "with --explain: id of the host's session; the newest unless given",
        },
        examples: ['scratchpad context', 'scratchpad context --explain'],
      },
    }),
    ...from(() => import('../init.ts'), {
      merge: {
        about: 'merge two versions of a tracked pad, as a git merge driver; exits 1 on a conflict',
        takes: {
          '<base>': 'the common ancestor',
          '<ours>': 'one version; the result replaces it',
          '<theirs>': 'the other version',
        },
        examples: ['scratchpad merge base.md ours.md theirs.md'],
      },
    }),
    ...from(() => import('../look.ts'), {
      check: {
        about: 'check how old the state block is and whether the file is intact; exits 4 if stale',
        examples: ['scratchpad check', 'scratchpad check --quiet || scratchpad assemble'],
      },
    }),
    ...from(() => import('../status.ts'), {
      status: {
        about: 'show whether an agent is connected, what it was told last, what is in the pad, what is wrong',
        takes: { '--verbose': 'also every section, context window and skipped record' },
        examples: ['scratchpad status', 'scratchpad status --json'],
      },
    }),
    ...from(() => import('../report.ts'), {
      report: {
        about:
          'write an HTML page about the session: timeline, plan, messages, mood, what the model was told',
        takes: {
          '-o, --output <file>': 'the file to write, - for stdout (default .scratchpad/report.html)',
          '-t, --transcript <file>': "a host's session file; the most recently active session unless given",
        },
        examples: ['scratchpad report', 'scratchpad report --output session.html'],
      },
    }),
    ...from(() => import('../look.ts'), {
      line: {
        about: 'print one line for a shell prompt or a status line; nothing where there is no pad',
        takes: {
          '--stdin': "take the directory from the JSON that Claude Code's statusLine passes on stdin",
        },
        examples: [
          "PS1='$(scratchpad line 2>/dev/null) \\$ '",
          'scratchpad line --stdin   # as statusLine in .claude/settings.json',
        ],
      },
    }),
  ],
};

import { describe, expect, it } from 'vitest';
import { answersFor } from '../../src/memory/answers.ts';
import type { Message, Role } from '../../src/transcript/types.ts';
import { workspaceOf } from './workspace.ts';

const MEMORY = [
  '# Backups',
  '',
  '- The nightly backup of the Postgres cluster goes to the bucket in Frankfurt.',
  '- backup:',
  '- All tests pass and the backup is green.',
  '- This also holds for the Postgres backup.',
  '- `backup.sh` - Added the nightly Postgres backup',
  '- `TestPostgresBackup` — 6 cases (nightly backup and hourly)',
  '- Is the Postgres backup encrypted?',
  '',
  '| Postgres backup | Frankfurt | nightly |',
  '|---|---|---|',
  '',
  '```sh',
  'pg_dump the Postgres cluster for the nightly backup',
  '```',
  '',
  '### Changes made',
  '',
  '- The restore script of the Zookeeper quorum is kept beside it.',
  '',
  '## Errors',
  '',
  '- Return a `NewSilentError` where the command has printed the message itself.',
  '- ENT-216 keeps metadata of the checkpoint out of the first version.',
  '- The CPU tag is the safety net for the demo.',
  '- We always fix lint before review comments are answered.',
].join('\n');

function say(role: Role, content: string): Message {
  return { id: '1', role, content, session: 's' };
}

/** The lines put before a model after these words of a person, each without the rest of its text. */
async function shown(...messages: (string | Message)[]): Promise<string[]> {
  const chat = messages.map((each) => (typeof each === 'string' ? say('user', each) : each));
  const { hits } = await answersFor(chat, { workspace: workspaceOf({ 'MEMORY.md': MEMORY }) });
  return hits.map(({ text }) => text);
}

const BACKUP = 'The nightly backup of the Postgres cluster goes to the bucket in Frankfurt.';

describe('answersFor', () => {
  it('gives the line that holds what is asked, and nothing that does not stand by itself', async () => {
    expect(await shown('where does the nightly Postgres backup go?')).toEqual([BACKUP]);
  });

  it.each([
    'commit this',
    'fix the tests',
    'add tests',
    'address the review comments',
    'print the first 50 lines',
    'fix lint',
    'yes please, go ahead',
    'run it again and push',
    'thanks!',
    // Under a title that tells of what was done stand reports.
    'where is the restore script of the Zookeeper quorum kept?',
    // What ends in a colon only announces.
    'see below. CPU tag:',
  ])('says nothing to %j', async (order) => {
    expect(await shown(order)).toEqual([]);
  });

  it('says nothing after an order, whatever the agent reported before', async () => {
    const report = say(
      'assistant',
      'Moved the nightly Postgres backup to the bucket in Frankfurt. All done.',
    );
    expect(await shown(report, 'commit')).toEqual([]);
  });

  it('hears what the agent offered, and what a number points at', async () => {
    const offer = say(
      'assistant',
      'Done. Shall I look up where the nightly Postgres backup of the cluster goes?',
    );
    expect(await shown(offer, 'yes please')).toEqual([BACKUP]);
    const list = say('assistant', '1. Rename the flag\n2. Check the nightly Postgres backup\n\nWhich one?');
    expect(await shown(list, '2')).toEqual([BACKUP]);
    expect(await shown(list, '1')).toEqual([]);
  });

  it.each([
    ['why does NewSilentError print nothing?', /NewSilentError/],
    ['is ENT-216 in scope?', /ENT-216/],
    [
      'what is this?\n2026-02-03 10:14:22,118 ERROR [main] Job 4411 failed\n2026-02-03 10:14:22,120 FATAL NewSilentError at main.go:12\n',
      /NewSilentError/,
    ],
  ])('looks for the names in %j', async (prompt, line) => {
    expect(await shown(prompt)).toEqual([expect.stringMatching(line)]);
  });

  it('takes another ticket for another ticket', async () => {
    expect(await shown('link this to ENT-64')).toEqual([]);
  });

  it('knows two plain words that belong together', async () => {
    expect(await shown("didn't we say something about a cpu tag?")).toEqual([
      'The CPU tag is the safety net for the demo.',
    ]);
  });

  it('gives no line that the conversation holds, or that is shown elsewhere', async () => {
    const question = 'where does the nightly Postgres backup go?';
    expect(await shown(say('tool', `MEMORY.md\n- ${BACKUP}`), question)).toEqual([]);
    const told =
      'The backup of the cluster is nightly: Postgres is dumped, and the dump goes to Frankfurt, to a bucket.';
    expect(await shown(say('assistant', told), question)).toEqual([]);
    const workspace = workspaceOf({ 'MEMORY.md': MEMORY });
    const options = { workspace, alreadyShown: [`Notes: ${BACKUP}`] };
    expect((await answersFor([say('user', question)], options)).hits).toEqual([]);
  });

  it('gives two lines at most unless told, and of a long paragraph the sentence that answers', async () => {
    const many = Array.from(
      { length: 9 },
      (_, i) => `- Zanzibar ferry number ${i} leaves from pier ${i * 7}.`,
    );
    const long = `${'The weather was fine and we walked along the beach. '.repeat(8)}Quokkas live on Rottnest. `;
    const workspace = workspaceOf({
      'MEMORY.md': `${many.join('\n')}\n\n${long}${'Nothing else happened. '.repeat(8)}`,
    });
    const lines = async (content: string, limit?: number): Promise<string[]> => {
      const { hits } = await answersFor([say('user', content)], { workspace, ...(limit && { limit }) });
      return hits.map(({ text }) => text);
    };
    expect(await lines('when does the Zanzibar ferry leave?')).toHaveLength(2);
    expect(await lines('when does the Zanzibar ferry leave?', 3)).toHaveLength(3);
    expect(await lines('do Quokkas live on Rottnest?')).toEqual(['Quokkas live on Rottnest.']);
  });

  it('says nothing for two words that go together, nor for the name of a function alone', async () => {
    const notes =
      '- The shadow branch of a session is deleted at its end.\n- `readConfig` caches what it parsed.\n';
    const ask = async (content: string): Promise<number> =>
      (await answersFor([say('user', content)], { workspace: workspaceOf({ 'MEMORY.md': notes }) })).hits
        .length;
    expect(await ask('could we not simply diff against the commit that the shadow branch is based on?')).toBe(
      0,
    );
    // Of the renaming, which the person asks about, no line speaks.
    expect(await ask('and we rename shadow branches, so how could one be left?')).toBe(0);
    expect(await ask('please rename the argument of `readConfig` and run the linter')).toBe(0);
    expect(await ask('when is the shadow branch of a session deleted?')).toBe(1);
  });

  it.each([
    ['Integration tests of the exporter need a running Zookeeper', 1],
    ['`npm run zookeeper` - starts the one that integration tests of the exporter need', 1],
    ['**Unit test:** `exporter/zookeeper_test.go:TestExporterIntegration`', 0],
    ['Create: `exporter/zookeeper.go` — what integration tests of the exporter need', 0],
    ['`startZookeeper()` - what integration tests of the exporter need', 0],
  ])('tells a statement from an entry of a list of code: %j', async (line, shownLines) => {
    const workspace = workspaceOf({ 'MEMORY.md': `- ${line}\n` });
    const question = 'do integration tests of the exporter need a Zookeeper?';
    expect((await answersFor([say('user', question)], { workspace })).hits).toHaveLength(shownLines);
  });

  it('gives a single line to what is asked now, not to what was asked before', async () => {
    const lines = [
      '- The staging database listens on port 5433, because 5432 belongs to the reporting tool.',
      '- Marta signs off the release checklist before every tag.',
    ];
    const workspace = workspaceOf({ 'memory/facts.md': `${lines.join('\n')}\n` });
    const asked = ['which port does the staging database listen on?', 'who signs off the release checklist?'];
    const found = await answersFor(
      asked.flatMap((words) => [say('user', words), say('assistant', 'Understood.')]).slice(0, -1),
      { workspace, limit: 1 },
    );
    expect(found.hits.map(({ text }) => `- ${text}`)).toEqual([lines[1]]);
  });
});

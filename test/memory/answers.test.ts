import { describe, expect, it } from 'vitest';
import { findAnswers } from '../../src/memory/answers.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { Message, Role } from '../../src/transcript/types.ts';
import { workspaceOf } from './workspace.ts';

const MEMORY = [
  '# Backups',
  '',
  '- The nightly backup of the Postgres cluster goes to the bucket in Frankfurt.',
  '- backup:',
  '- All tests pass and the backup is green.',
  '- This also holds for the Postgres backup.',
  '- Is the Postgres backup encrypted?',
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
  const { hits } = await findAnswers(chat, { workspace: workspaceOf({ 'MEMORY.md': MEMORY }) });
  return hits.map(({ text }) => text);
}

const BACKUP = 'The nightly backup of the Postgres cluster goes to the bucket in Frankfurt.';

describe('answersFor', () => {
  it('gives the line that holds what is asked', async () => {
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
    'see below. CPU tag:',
    'can you move the nightly Postgres backup to Frankfurt?',
    "let's move the nightly Postgres backup",
    'what if the nightly Postgres backup went to Frankfurt?',
    'so the nightly Postgres backup goes to Frankfurt, and then we are done',
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

  it('hears a question after other words, without a mark, and in other languages', async () => {
    expect(await shown('thanks! remind me where the nightly Postgres backup goes')).toEqual([BACKUP]);
    expect(await shown('not sure where the nightly Postgres backup goes, look it up')).toEqual([BACKUP]);
    expect(await shown('and where does the nightly Postgres backup go?')).toEqual([BACKUP]);
    for (const question of [
      'wohin geht das nightly backup von Postgres?',
      '¿dónde está el backup nightly de Postgres?',
      'où va le backup nightly de Postgres ?',
      'onde fica o backup nightly do Postgres?',
    ])
      expect(await shown(question), question).toEqual([BACKUP]);
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

  it.each([
    ['which mail server do we use?', '- The web server runs on port 8080, the game server on 9000.'],
    ['when does the invoice export run?', '- The nightly export of the logs runs at three.'],
    ['Ist das so richtig?', '- Das ist so die richtige Reihenfolge.'],
  ])('tells no line about another thing: %s', async (question, lines) => {
    const workspace = workspaceOf({ 'MEMORY.md': `# Notes\n\n${lines}\n` });
    expect((await findAnswers([say('user', question)], { workspace })).hits).toEqual([]);
  });

  it.each([
    ['Wieso wurde TimeTac rausgeworfen?', 'TimeTac ist entfernt, nur Asana bleibt.'],
    ['¿qué iconos usamos?', 'Los iconos vienen de Lucide.'],
    ['¿podemos copiar el aspecto de FlutterFlow?', 'FlutterFlow es solo referencia.'],
    ['¿dónde se guardan las facturas viejas?', 'Las facturas viejas van al sótano.'],
    ['où sont rangées les clés du bureau ?', 'Les clés du bureau : chez Noor.'],
    ['Wo liegen die Schlüssel für das Büro?', 'Büroschlüssel hat Noor.'],
  ])(
    'tells the line that holds the name, or the only word, that a question asks for: %s',
    async (question, line) => {
      const workspace = workspaceOf({ 'MEMORY.md': `# Notes\n\n- ${line}\n- The pad is made of paper.\n` });
      const { hits } = await findAnswers([say('user', question)], { workspace });
      expect(hits.map(({ text }) => text)).toEqual([line]);
    },
  );

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
    expect((await findAnswers([say('user', question)], options)).hits).toEqual([]);
  });

  it('gives the line of the first question, to each if told so, and of a long paragraph the sentence', async () => {
    const animals = ['Aardvark', 'Badger', 'Caracal', 'Dingo'];
    const many = animals.map((animal, i) => `- The ${animal} enclosure opens at ${7 + i}.`);
    const long = `${'The weather was fine and we walked along the beach. '.repeat(8)}Quokkas live on Rottnest. `;
    const workspace = workspaceOf({
      'MEMORY.md': `${many.join('\n')}\n\n${long}${'Nothing else happened. '.repeat(8)}`,
    });
    const lines = async (content: string, limit?: number): Promise<string[]> => {
      const { hits } = await findAnswers([say('user', content)], { workspace, ...(limit && { limit }) });
      return hits.map(({ text }) => text);
    };
    const all = animals.map((animal) => `when does the ${animal} enclosure open?`).join(' ');
    const opening = animals.map((animal, i) => `The ${animal} enclosure opens at ${7 + i}.`);
    expect(await lines(all)).toEqual(opening.slice(0, 1));
    expect(await lines(all, 3)).toEqual(opening.slice(0, 3));
    expect(await lines('do Quokkas live on Rottnest?')).toEqual(['Quokkas live on Rottnest.']);
  });

  it('says nothing for two words that go together, nor for the name of a function alone', async () => {
    const notes =
      '- The shadow branch of a session is deleted at its end.\n- `readConfig` caches what it parsed.\n';
    const ask = async (content: string): Promise<number> =>
      (await findAnswers([say('user', content)], { workspace: workspaceOf({ 'MEMORY.md': notes }) })).hits
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
    ['```', '~~~'],
    ['~~~', '```'],
    ['````', '```'],
  ])('says no line of a block (%s) that holds another fence (%s)', async (fence, other) => {
    const line = 'pg_dump the Zebra cluster for the nightly archive';
    const ask = async (...lines: string[]): Promise<number> => {
      const workspace = workspaceOf({ 'MEMORY.md': `# Notes\n\n${lines.join('\n')}\n` });
      const { hits } = await findAnswers([say('user', 'how does the nightly Zebra archive go?')], {
        workspace,
      });
      return hits.length;
    };
    expect(await ask(fence, other, line, fence)).toBe(0);
    expect(await ask(fence, other, fence, line)).toBe(1);
  });

  it('says a row of a table and a fragment, but no code and no question', async () => {
    expect(await shown('is the Postgres backup encrypted?')).not.toContain(
      'Is the Postgres backup encrypted?',
    );
    expect(await shown('what does pg_dump do with the Postgres cluster?')).not.toContainEqual(
      expect.stringContaining('pg_dump the'),
    );
    const workspace = workspaceOf({ 'MEMORY.md': '| service | port |\n|---|---|\n| zookeeper | 2181 |\n' });
    const { hits } = await findAnswers([say('user', 'which port does the Zookeeper use?')], { workspace });
    expect(hits.map(({ line }) => line)).toEqual([3]);
  });

  it('says the newer of two lines that hold the same words', async () => {
    const workspace = workspaceOf({
      'memory/2026-01-02.md': '- The Quokka mirror is at host alpha\n',
      'memory/2026-03-04.md': '- The Quokka mirror is at host beta\n',
    });
    const { hits } = await findAnswers([say('user', 'where is the Quokka mirror?')], { workspace });
    expect(hits.map(({ text }) => text)).toEqual(['The Quokka mirror is at host beta']);
  });

  it('of a memory that has lines about everything, says none for one word', async () => {
    const many = Array.from({ length: 250 }, (_, i) => `- Shelf ${i} holds crate ${i * 3}\n`).join('');
    const workspace = workspaceOf({ 'MEMORY.md': `${many}- The Quokka mirror is at host alpha\n` });
    const ask = async (content: string): Promise<number> =>
      (await findAnswers([say('user', content)], { workspace })).hits.length;
    expect(await ask('what is a quokka?')).toBe(0);
    expect(await ask('where is the quokka mirror?')).toBe(1);
  });

  it('gives a single line to what is asked now, not to what was asked before', async () => {
    const lines = [
      '- The staging database listens on port 5433, because 5432 belongs to the reporting tool.',
      '- Marta signs off the release checklist before every tag.',
    ];
    const workspace = workspaceOf({ 'memory/facts.md': `${lines.join('\n')}\n` });
    const asked = ['which port does the staging database listen on?', 'who signs off the release checklist?'];
    const found = await findAnswers(
      asked.flatMap((words) => [say('user', words), say('assistant', 'Understood.')]).slice(0, -1),
      { workspace, limit: 1 },
    );
    expect(found.hits.map(({ text }) => `- ${text}`)).toEqual([lines[1]]);
  });
});

describe('what a person means by a fact', () => {
  const MEMORY = `# Long-Term Memory

## QuartzRouter Installation (2026-05-04)

**What:** QuartzRouter is a plugin that sends parcels by the cheapest lorry.

**Version installed:** 4.7.3

### Tidebook, a diary of harbours
- **Scale:** three harbours
- **Activity:** check every 9 days, write the log

**Scrapely:**
- Account: quokka42
- Status: connected

| Service | Owner |
|---|---|
| Lanternmail | Noor |

- ~~The Zirkel meets in room 12.~~
`;

  it.each([
    ['which version of QuartzRouter is installed?', '**Version installed:** 4.7.3'],
    ['how often do we check tidebook?', '**Activity:** check every 9 days, write the log'],
    ['what is the scrapely account name?', 'Account: quokka42'],
    ['who is the owner of Lanternmail?', '| Lanternmail | Noor |'],
    ['welche Version von QuartzRouter ist installiert?', '**Version installed:** 4.7.3'],
  ])('counts the names above it: %s', async (question, line) => {
    const workspace = workspaceOf({ 'MEMORY.md': MEMORY });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual([line]);
  });

  const SERVICES = [
    '# Services',
    '## Lantern Queue',
    '- owner: Mina',
    '- It tries five times',
    '## Harbour Backup',
    '- Retention: 35 days',
    '- runs at 02:30',
    '## Deploys',
    '- Canary: 20 minutes at 5 %, then all',
    '- The canary takes 5 % of the traffic.',
    '- The build was broken for 3 days in May.',
    '- Passwords have at least 14 characters.',
    '## Sicherung',
    '- Aufbewahrung neunzig Tage',
    '## Migration',
    '- about 2 h',
  ].join('\n');

  it.each([
    ['how many retries does the Lantern Queue make?', 'It tries five times'],
    ['how long does Harbour Backup keep its data?', 'Retention: 35 days'],
    ['how long does the canary take?', 'Canary: 20 minutes at 5 %, then all'],
    ['how long does the migration take?', 'about 2 h'],
    ['how long must passwords be?', 'Passwords have at least 14 characters.'],
    ['wie lange behält die Sicherung die Daten?', 'Aufbewahrung neunzig Tage'],
    ['how long does the build take?', undefined],
    ['how long does Harbour Backup take?', undefined],
    ['how many retries does Harbour Backup make?', undefined],
    ['how much does Harbour Backup cost?', undefined],
    ['how long does the Lantern Queue keep its messages?', undefined],
  ])('finds an amount by its unit and by another word for what is asked: %s', async (question, line) => {
    const workspace = workspaceOf({ 'MEMORY.md': SERVICES });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual(line === undefined ? [] : [line]);
  });

  it.each([
    ['what does Will sign?', 'Will signs the invoices on Mondays'],
    ['what do we use Go for?', 'Go is used for the relay, Rust for the rest'],
    ['where does IT sit?', 'IT sits on the third floor'],
    ['Will it rain?', undefined],
    ['where will we go?', undefined],
  ])('knows a name that is also a small word by its capitals: %s', async (question, line) => {
    const workspace = workspaceOf({
      'MEMORY.md':
        '- Will signs the invoices on Mondays\n- Go is used for the relay, Rust for the rest\n- IT sits on the third floor\n- It rained on the day of the picnic\n- We go to the office on Tuesdays\n',
    });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual(line === undefined ? [] : [line]);
  });

  it('tells no line without a number to a question for one, and none that was struck out', async () => {
    const workspace = workspaceOf({
      'MEMORY.md': '- The Quokka server has a version of its own.\n- ~~The Zirkel meets in room 12.~~\n',
    });
    const told = async (question: string): Promise<number> =>
      (await findAnswers([say('user', question)], { workspace })).hits.length;
    expect(await told('which version does the Quokka server have?')).toBe(0);
    expect(await told('in which room does the Zirkel meet?')).toBe(0);
  });

  it('reads lines that end with a carriage return alone', async () => {
    const workspace = workspaceOf({ 'MEMORY.md': '# Ops\r- Redis listens on 6380\r- The cat sleeps\r' });
    const { hits } = await findAnswers([say('user', 'which port does Redis use?')], { workspace });
    expect(hits.map(({ text, line }) => [text, line])).toEqual([['Redis listens on 6380', 2]]);
  });

  it('takes a record of a conversation for no fact', async () => {
    const dump = '# Session\n\nuser: where does the Quokka live?\nassistant: The Quokka lives on Rottnest.\n';
    const told = async (files: Record<string, string>): Promise<string[]> => {
      const { hits } = await findAnswers([say('user', 'where does the Quokka live?')], {
        workspace: workspaceOf(files),
      });
      return hits.map(({ text }) => text);
    };
    expect(await told({ 'memory/2026-01-02-session.md': dump })).toEqual([]);
    const stamped = dump.replace('user', '[10:02] user').replace('assistant', '[10:03] assistant');
    expect(await told({ 'memory/2026-01-02.md': stamped })).toEqual([]);
    const titled = `### Human\nhello\n\n### Assistant\nThe Quokka lives on Rottnest.\n\n### Human\nthanks\n`;
    expect(await told({ 'memory/2026-01-02.md': titled })).toEqual([]);
    for (const [person, agent] of [
      ['Benutzer: ', 'Assistent: '],
      ['用户：', '助手：'],
      ['[user] ', '[assistant] '],
      ['You said: ', 'ChatGPT said: '],
      ['{"role":"user","content":"', '{"role":"assistant","content":"'],
      ['- role: user\n  content: ', '- role: model\n  content: '],
      ['### 🧑 User\n', '### 🤖 Assistant\n'],
      ['**Me:** ', '**Bot:** '],
    ])
      expect(
        await told({ 'memory/2026-01-02.md': `${person}where?\n${agent}The Quokka lives on Rottnest.\n` }),
      ).toEqual([]);
    const once = '## User\nWhere is it?\n\n## Assistant\nThe Quokka lives on Rottnest.\n';
    expect(await told({ 'memory/2026-01-02.md': once })).toEqual([]);
    const both = '## User\nAnn\n\n## Assistant\nThe Quokka lives on Rottnest.\n';
    expect(await told({ 'MEMORY.md': both })).toHaveLength(1);
    expect(await told({ 'MEMORY.md': '- Ann: The Quokka lives on Rottnest.\n' })).toHaveLength(1);
  });

  it.each([
    ['how long does a restart of Quillbase take?', 'A restart of Quillbase is forbidden in office hours.'],
    ['which version of Quillbase runs in production?', 'Quillbase runs in production on 3 machines.'],
    ['how reliable is Quillbase?', 'Quillbase runs in production on 3 machines.'],
    ['what day does Quillbase restart?', 'The restart of Quillbase is led by Bob.'],
    ['what is the phone number of the Quillbase admin?', 'The Quillbase admin is Bob.'],
    ['how many percent of the traffic does Quillbase get?', 'The traffic of Quillbase goes to 3 nodes.'],
  ])('takes no line of another kind for an answer: %s', async (question, line) => {
    const workspace = workspaceOf({ 'MEMORY.md': `- ${line}\n` });
    expect((await findAnswers([say('user', question)], { workspace })).hits).toEqual([]);
  });

  it.each([
    ['which port has Quillbase on production?', '- Quillbase port on staging: 5433\n'],
    [
      'which port has Quillbase on production?',
      '## Staging\n- Quillbase port: 5433\n\n## Production\n- 3 nodes\n',
    ],
    ['which version of Quillbase runs in Oslo?', '- Bergen runs Quillbase 1.31\n- Oslo has 3 nodes\n'],
    ['is us-east on Quillbase 1.31?', '- eu-west runs Quillbase 1.31\n'],
    [
      'which port has Quillbase in oslo?',
      '| Place | Runs |\n|---|---|\n| Bergen | Quillbase on port 5433 |\n| Oslo | none |\n',
    ],
    ['does Quillbase need TLS?', '- [ ] ask whether Quillbase needs TLS\n'],
    ['does Quillbase need TLS?', '- TODO: TLS for Quillbase\n'],
    ['does Quillbase need TLS?', '- Quillbase runs on port 8000\n'],
    ['does Quillbase use replication?', '- Quillbase runs in Docker\n'],
    ['can Quillbase rotate keys?', '- Quillbase listens on 8200\n'],
    ['db port on production?', '## Production\n- DB host: db1.example.com\n'],
    ['what is the Quillbase password?', '- Quillbase user: app\n'],
    ['when is the release?', '- Release notes are written every Friday\n'],
    ['where is the backup?', '- Backup scripts live in ops/\n'],
    ['who runs the demo?', '- Demo: Thursday 14:00\n'],
  ])('takes no line about another place, and no open task, for an answer: %s %j', async (question, lines) => {
    const workspace = workspaceOf({ 'MEMORY.md': lines });
    expect((await findAnswers([say('user', question)], { workspace })).hits).toEqual([]);
  });

  it.each([
    [
      'which port has Quillbase on staging?',
      '- Quillbase port on staging: 5433\n- Production has none\n',
      '5433',
    ],
    [
      'which version of Quillbase runs in Bergen?',
      '- Bergen runs Quillbase 1.31\n- Oslo has 3 nodes\n',
      '1.31',
    ],
    ['when is the Quillbase permit due?', '- [ ] Renew the Quillbase permit, due 2026-03-01\n', '2026-03-01'],
  ])('takes the line about the place that is asked about: %s', async (question, lines, answer) => {
    const workspace = workspaceOf({ 'MEMORY.md': lines });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual([expect.stringContaining(answer)]);
  });

  it.each([
    ['which version of Quillbase runs in production?', 'Quillbase 16 runs in production.'],
    ['which version of Quillbase is installed?', 'Version installed of Quillbase: v3'],
    ['how long does a restart of Quillbase take?', 'A restart of Quillbase takes half an hour.'],
    ['how many percent of the traffic does Quillbase get?', 'Quillbase gets 5 % of the traffic.'],
    ['how fast is Quillbase?', 'Quillbase answers 1200 requests a second.'],
    ['how reliable is Quillbase?', 'Quillbase is reliable since May.'],
    ['when is the release?', 'The next release is on 3 December'],
    ['when do we deploy?', 'Deploys happen on Fridays'],
    ['where is the backup?', 'Backup: nas02:/backups'],
    ['Wo liegt das Backup?', 'Das Backup liegt auf nas02 unter /backups'],
    ['gdzie jest kopia zapasowa', 'Kopia zapasowa jest na nas02'],
    ['yedek nerede', 'Yedek nas02 sunucusunda'],
    ['who is the owner?', 'Owner: Maria'],
    ['which linter do we use?', 'Linter: biome'],
    ['what is the db port?', 'DB host: db1:5433'],
    ['wann ist das Quillbase-Release?', 'Das Quillbase-Release ist am 3. März.'],
  ])('takes a line of its kind for one: %s', async (question, line) => {
    const workspace = workspaceOf({ 'MEMORY.md': `- ${line}\n` });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual([line]);
  });

  it.each([
    ['أين الخادم؟', 'الخادم في هلسنكي'],
    ['Где стоит сервер?', 'Сервер стоит в Хельсинки'],
    ['Gdzie stoi serwer?', 'Serwer stoi w Helsinkach'],
    ['Πού είναι ο διακομιστής;', 'Ο διακομιστής είναι στο Ελσίνκι'],
    ['איפה השרת?', 'השרת נמצא בהלסינקי'],
    ['سرور کجاست؟', 'سرور در هلسینکی است'],
    ['Sunucu nerede?', 'Sunucu Helsinki’de duruyor'],
  ])('answers in many scripts: %s', async (question, line) => {
    const workspace = workspaceOf({ 'MEMORY.md': `- ${line}\n- Ann\n` });
    const { hits } = await findAnswers([say('user', question)], { workspace });
    expect(hits.map(({ text }) => text)).toEqual([line]);
  });

  it('tells a label with what follows it', async () => {
    const workspace = workspaceOf({
      'MEMORY.md': 'The Quokka budget of this year:\n\n400 euros, of which 90 are spent\n',
    });
    const { hits } = await findAnswers([say('user', 'how high is the Quokka budget this year?')], {
      workspace,
    });
    expect(hits.map(({ text }) => text)).toEqual([
      'The Quokka budget of this year: 400 euros, of which 90 are spent',
    ]);
  });

  it('keeps what shares two telling words with the talk for the file, and nothing that shares one', async () => {
    const workspace = workspaceOf({
      'MEMORY.md':
        '- The cat is called Miso.\n- The deployment of chairs in the hall is done by Noor.\n- Kubernetes deployments go through staging first.\n',
    });
    const talk = [say('user', 'the Kubernetes deployment to staging hangs, please look')];
    const { hits, related } = await findAnswers(talk, { workspace, related: 5 });
    expect(hits).toEqual([]);
    expect(related.map(({ text }) => text)).toEqual(['Kubernetes deployments go through staging first.']);
  });
});

describe('of two lines about the same thing', () => {
  const OLD = 'memory/2026-03-02.md';
  const NEW = 'memory/2026-06-05.md';
  const VAT = 'The VAT rate for our invoices in Germany is 19 %';

  it.each([
    [
      'the newer, in fewer words',
      [OLD, VAT],
      [NEW, 'correction: VAT is 7 % since June'],
      'our VAT rate for invoices',
    ],
    ['the curated', [OLD, VAT], ['MEMORY.md', 'VAT: 7 % on invoices'], 'the VAT rate for invoices'],
    ['a correction of the curated', ['MEMORY.md', VAT], [NEW, 'VAT is now 7 %'], 'the VAT rate for invoices'],
    [
      'a correction below it',
      ['MEMORY.md', 'Rate of a day: 600 EUR'],
      ['MEMORY.md', 'Rate of a day: 750 EUR since July'],
      'the rate of a day',
    ],
    [
      'the new one of another name',
      [OLD, 'Office plumber: Mr Weber'],
      [NEW, 'New office plumber is Mr Klein'],
      'the name of the office plumber',
    ],
  ])('tells %s', async (_, [path = '', line = ''], [newer = '', answer = ''], question) => {
    const files =
      path === newer
        ? { [path]: `- ${line}\n- ${answer}\n` }
        : { [path]: `- ${line}\n`, [newer]: `- ${answer}\n` };
    const { hits } = await findAnswers([say('user', `what is ${question}?`)], {
      workspace: workspaceOf(files),
    });
    expect(hits.map(({ text }) => text)).toEqual([answer]);
  });

  it.each([
    ['another thing', 'Asked Bob about VAT on 5 trips'],
    ['a value of another kind', 'VAT is due on 3 May now'],
    ['a general one, of a special one', 'VAT is 7 %'],
    ['an open task', '[ ] change the VAT rate for invoices to 7 %'],
  ])('does not take %s for the newer', async (_, line) => {
    const workspace = workspaceOf({ [OLD]: `- ${VAT}\n`, [NEW]: `- ${line}\n` });
    const { hits } = await findAnswers([say('user', 'what is our VAT rate for invoices?')], { workspace });
    expect(hits.map(({ text }) => text)).toEqual([VAT]);
  });
});

describe('a value that a later line takes back', () => {
  const curated = [
    '# Venues',
    '- Kulturbahnhof: holds 420 people standing, contact Ines Brandt, load-in 14:00',
    '- Lagerhalle: holds 250, contact Uwe, no parking',
    '- Nachtfalter: fee 2400 EUR plus catering',
    '- Owls of Ghent: fee 1800 EUR, five people',
  ].join('\n');
  const rest = '- Nachtfalter: fee is now 2800 EUR, Marek sent a new contract';
  const find = async (question: string, note: string, notes: string[] = []) => {
    const files = { 'MEMORY.md': curated, 'memory/2026-11-27.md': `# 2026-11-27\n- ${note}\n${rest}` };
    const workspace = workspaceOf(files);
    const { hits, related } = await findAnswers([say('user', question)], {
      ...{ workspace, notes, alreadyShown: notes, related: 5, now: Date.parse('2026-11-30T01:00Z') },
    });
    return [...hits, ...related];
  };

  it.each([
    'Correction: after the inspection the Kulturbahnhof holds only 380 people, no longer 420',
    'Kulturbahnhof holds 380 (was 420)',
    'Kulturbahnhof: not 420 but 380',
    'Kulturbahnhof 420 -> 380',
    'Korrektur: Kulturbahnhof fasst nur noch 380 Personen',
    'Im Kulturbahnhof nicht mehr 420, sondern 380',
    'Kulturbahnhof: 380 statt 420',
  ])('is never told without that line: %s', async (note) => {
    for (const question of [
      'how many people fit in the Kulturbahnhof?',
      'wie viele Leute passen in den Kulturbahnhof?',
      'who is the contact at the Kulturbahnhof?',
    ])
      for (const { text, newer } of await find(question, note))
        if (text.includes('420 people')) expect(newer?.text, question).toBe(note);
    const [first] = await find('how many people fit in the Kulturbahnhof?', note);
    expect(first?.newer?.text ?? first?.text).toBe(note);

    const workspace = workspaceOf({ 'MEMORY.md': curated, 'memory/2026-11-27.md': `- ${note}\n${rest}` });
    const { hits } = await searchMemory({ text: 'how many people fit in Kulturbahnhof' }, { workspace });
    expect(hits.slice(0, 2).map(({ path, newer }) => [path, newer?.text])).toEqual([
      ['memory/2026-11-27.md', undefined],
      ['MEMORY.md', note],
    ]);
  });

  it('is told with the line that replaces it, not with one about another thing', async () => {
    const note = '**Decision:** load-in at Kulturbahnhof moved to 15:30, Ines needs the ramp';
    const [first] = await find('when is load-in at Kulturbahnhof?', note);
    expect(first?.newer?.text ?? first?.text).toBe(note);
    const [owls] = await find('what is the fee of the Owls of Ghent?', note);
    expect([owls?.text, owls?.newer]).toEqual([expect.stringMatching(/^Owls/), undefined]);
  });

  it('is not told beside a note of the pad that takes it back', async () => {
    const pad = ['Kulturbahnhof holds 380, not 420'];
    expect(await find('how many people fit in the Kulturbahnhof?', 'Nothing else today', pad)).toEqual([]);
  });

  it.each([
    ['how many tickets have we sold for Nachtfalter?', rest],
    ['when do I meet Ines?', 'Ines Brandt'],
  ])('answers no question for another number or time: %s', async (question, line) => {
    const hits = await find(question, 'Nothing else today');
    expect(hits.filter(({ text }) => text.includes(line.replace('- ', '')))).toEqual([]);
  });

  it('is never one that is struck out', async () => {
    const workspace = workspaceOf({
      'MEMORY.md': '- ~~Posters: 500 Plakate~~ (old)\n- Posters of the hall: ~~500~~ 300 Plakate\n',
    });
    const { hits } = await searchMemory({ text: 'Posters Plakate' }, { workspace });
    expect(hits.map(({ text }) => text)).toEqual(['Posters of the hall: 300 Plakate']);
  });
});

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnswers } from '../../src/memory/answers.ts';
import type { MemoryHit } from '../../src/memory/types.ts';
import { workspaceOf, write } from './workspace.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const EXAMPLE = join(import.meta.dirname, '../../workspace-example');
const NOW = Date.UTC(2026, 10, 23, 12);

interface Question {
  memory: string;
  query: string;
  /** The file of the answer, and a part of its line. */
  path: string;
  line: string;
}

interface Row {
  memory: string;
  file?: string;
  lines?: string[];
  prompt?: string;
  wanted?: string[];
}

function rowsOf<Each>(path: string): Each[] {
  const lines = readFileSync(join(FIXTURES, path), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Each);
}

async function said(workspace: string, content: string): Promise<MemoryHit[]> {
  const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
  return (await findAnswers(messages, { workspace, now: NOW })).hits;
}

/** Questions whose first line is not the right one. */
async function missed(
  questions: readonly Question[],
  folderOf: (memory: string) => string,
): Promise<string[]> {
  const workspaces = new Map<string, string>();
  const out: string[] = [];
  for (const { memory, query, path, line } of questions) {
    const workspace = workspaces.get(memory) ?? workspaceOf({});
    if (!workspaces.has(memory)) cpSync(folderOf(memory), workspace, { recursive: true });
    workspaces.set(memory, workspace);
    const places = readFileSync(join(workspace, path), 'utf8').split('\n');
    const at = places.findIndex((each) => each.includes(line)) + 1;
    expect(at, `${path}: ${line}`).toBeGreaterThan(0);
    const [first] = await said(workspace, query);
    if (first?.path !== path || at < first.startLine || at > first.endLine) out.push(query);
  }
  return out;
}

describe('direct questions', () => {
  it('bring the right line first for eight of ten', async () => {
    const questions = rowsOf<Question>('questions/questions.jsonl');
    const wrong = await missed(questions, (memory) => join(FIXTURES, 'questions', memory));
    expect(questions).toHaveLength(60);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(12);
  });

  it('to the example too', async () => {
    const questions = rowsOf<Question>('questions/example.jsonl');
    const wrong = await missed(questions, () => EXAMPLE);
    expect(questions).toHaveLength(10);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(2);
  });
});

it('prompts that ask nothing of the memory bring no line', async () => {
  const rows = rowsOf<Row>('memory/prompts.jsonl');
  const noise: string[] = [];
  for (const name of new Set(rows.map(({ memory }) => memory))) {
    const workspace = workspaceOf({});
    const own = rows.filter(({ memory }) => memory === name);
    for (const { file, lines = [] } of own) if (file) write(workspace, file, lines.join('\n'));
    for (const { prompt, wanted } of own) {
      if (prompt === undefined || wanted !== undefined) continue;
      if ((await said(workspace, prompt)).length > 0) noise.push(`${name}: ${prompt}`);
    }
  }
  expect(noise).toEqual([]);
});

describe('questions without a question mark, in scripts without blanks and with cases', () => {
  const memories = {
    zh: '- 测试数据库的密码在 1Password 的团队库\n- 备份在每晚两点运行\n- 登录服务由王芳负责\n- 生产集群有 12 个节点\n- 日志保留 30 天\n',
    ja: '- ステージング環境のURLは staging.example.jp です\n- フロントエンドの担当は佐藤さん\n- リリースは毎週金曜日の15時\n',
    ko: '- 배포 서버의 포트는 8443입니다\n- 회의실은 3층에 있습니다\n',
    ru: '- Порт резервного сервера 8443\n- Кофе на третьем этаже\n',
    pl: '- Port serwera zapasowego to 8443\n- Kawa na trzecim piętrze\n',
  };
  const tell = async (language: keyof typeof memories, prompt: string) =>
    (await said(workspaceOf({ 'MEMORY.md': memories[language] }), prompt)).map(({ text }) => text).join();

  it.each([
    ['zh', '测试数据库的密码在哪', '1Password'],
    ['zh', '请问测试数据库的密码是什么', '1Password'],
    ['zh', '你好。测试数据库的密码在哪里', '1Password'],
    ['zh', '备份是什么时候运行的', '两点'],
    ['zh', '谁负责登录服务', '王芳'],
    ['zh', '登录服务的负责人是谁', '王芳'],
    ['zh', '生产集群几个节点', '12'],
    ['zh', '日志保留多久呢', '30'],
    ['zh', '登录服务由哪位负责', '王芳'],
    ['zh', '测试数据库密码在啥地方', '1Password'],
    ['ja', 'ステージング環境のURLは何ですか', 'staging.example.jp'],
    ['ja', 'ステージング環境のURLを教えて', 'staging.example.jp'],
    ['ja', 'フロントエンドの担当は誰', '佐藤'],
    ['ja', 'リリースはいつだっけ', '15時'],
    ['ko', '배포 서버의 포트가 뭐야', '8443'],
    ['ru', 'какой порт у резервного сервера', '8443'],
    ['ru', 'на каком порту резервный сервер?', '8443'],
    ['pl', 'jaki jest port serwera zapasowego?', '8443'],
  ] as const)('%s: %s', async (language, prompt, answer) => {
    expect(await tell(language, prompt)).toContain(answer);
  });

  it.each([
    ['zh', '把测试数据库的密码改成 hunter2'],
    ['zh', '给生产集群加几个节点'],
    ['zh', '看看日志哪里有错'],
    ['zh', '为什么测试失败'],
    ['zh', '怎样写单元测试'],
    ['zh', '谁都不要动测试数据库的密码'],
    ['zh', '测试数据库的密码没什么问题'],
    ['zh', '测试数据库什么时候升级？'],
    ['ja', 'ステージング環境にデプロイしてください'],
    ['ja', 'フロントエンドのテストを何か追加して'],
    ['ja', 'リリースはいつでもできる'],
    ['ko', '배포 서버의 포트를 바꿔줘'],
    ['ru', 'подними резервный сервер'],
    ['pl', 'zmień port serwera zapasowego'],
  ] as const)('%s asks nothing that is known: %s', async (language, prompt) => {
    expect(await tell(language, prompt)).toBe('');
  });
});

describe('a table whose header names what is asked, below a title that names the thing', () => {
  const memory =
    '## Falcon\n\n| Port | Owner |\n|---|---|\n| 8443 | Ann |\n\n## Hawk\n\n| Env | Region |\n|:--|--:|\n| production | eu-west-1 |\n| staging | us-east-2 |\n';

  it.each([
    ['which port does Falcon use?', 'Port=8443, Owner=Ann'],
    ['who is the owner of Falcon?', 'Port=8443, Owner=Ann'],
    ['welchen Port hat Falcon?', 'Port=8443, Owner=Ann'],
    ['which region is Hawk in, in staging?', '| staging | us-east-2 |'],
  ])('%s', async (prompt, row) => {
    expect((await said(workspaceOf({ 'MEMORY.md': memory }), prompt)).map(({ text }) => text)).toEqual([row]);
  });

  it.each(['which region does Falcon use?', 'which port does Eagle use?', 'who owns Hawk?'])(
    'answers nothing else: %s',
    async (prompt) => {
      expect(await said(workspaceOf({ 'MEMORY.md': memory }), prompt)).toEqual([]);
    },
  );
});

describe('a line must hold what is asked', () => {
  const memory = [
    '- **Dr. Hoffmann**, dentist, Karl-Liebknecht-Straße 14',
    '- The optician is at 12 Marlowe Street, +49 341 555014',
    '- The plumber takes 120 EUR',
    '- The vet appointment is on 3 December, 8:15, Lindenstraße 7',
    '- Katrin said overtime on Sunday is paid at 150 %',
    '- Katrin works until Friday, her salary is 3,000',
  ];

  it.each([
    ['When is my dentist appointment?', []],
    ['When is my optician appointment?', []],
    ['When is the plumber here?', []],
    ['When is my vet appointment?', [3]],
    ['How is overtime on Sunday paid?', [4]],
    ["What is Katrin's salary?", [5]],
    ["What is Katrin's pension?", []],
  ])('%s', async (prompt, wanted) => {
    const found = await said(workspaceOf({ 'MEMORY.md': memory.join('\n') }), prompt);
    expect(found.map(({ text }) => text)).toEqual(wanted.map((at) => memory[at]?.slice(2)));
    const without = memory.slice(0, 5).join('\n');
    if (prompt.includes('salary'))
      expect(await said(workspaceOf({ 'MEMORY.md': without }), prompt)).toEqual([]);
  });
});

describe('a question for when', () => {
  const ask = async (line: string) =>
    said(workspaceOf({ 'MEMORY.md': `- ${line}` }), 'When is my dentist appointment?');

  it.each([
    'Dentist appointment: Hauptstr. 14, 10115 Berlin',
    'Dentist appointment: Am Markt 5, 2nd floor',
    'Dentist appointment: 14 Main Street, room 3',
    'Dentist appointment has ticket #123',
    'Dentist appointment costs 2 visits of 60 EUR',
  ])('takes no other number: %s', async (line) => expect(await ask(line)).toEqual([]));

  it.each([
    'Dentist appointment: 9h30',
    'Dentist appointment: Mon 9',
    'Dentist appointment tomorrow at ten',
    'Dentist appointment: 14. März, Hauptstr. 14',
    'Dentist appointment: 14/3',
    'Dentist appointment in week 12',
  ])('takes a time: %s', async (line) => expect(await ask(line)).toHaveLength(1));
});

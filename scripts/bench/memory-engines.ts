import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from './side-by-side.ts';

/** What an engine searches: the same lines as a workspace and as a JSON array. */
export interface Corpus {
  workspace: string;
  /** File of the JSON array. */
  lines: string;
  /** Where an engine may keep its index. */
  folder: string;
}

interface Engine {
  name: string;
  /** The program, and its place in the folder of engines. */
  command: (folder: string) => string;
  /** CommonJS for `search` and `build`, given FILE, LINES and the query. */
  script?: string;
}

const FTS = (open: string): string => `${open}
if (mode === 'build') {
  db.exec("create virtual table lines using fts5(text, tokenize='porter')");
  const insert = db.prepare('insert into lines values (?)');
  db.exec('begin');
  for (const line of JSON.parse(fs.readFileSync(lines, 'utf8'))) insert.run(line);
  db.exec('commit');
} else {
  const any = query.split(' ').join(' OR ');
  console.log(db.prepare('select rowid from lines where lines match ? order by rank limit 5').all(any).length);
}`;

const ENGINES: readonly Engine[] = [
  {
    name: 'MiniSearch',
    command: () => process.execPath,
    script: `const MiniSearch = require('minisearch');
const options = { fields: ['text'] };
if (mode === 'build') {
  const index = new MiniSearch(options);
  index.addAll(JSON.parse(fs.readFileSync(lines, 'utf8')).map((text, id) => ({ id, text })));
  fs.writeFileSync(file, JSON.stringify(index));
} else console.log(MiniSearch.loadJSON(fs.readFileSync(file, 'utf8'), options).search(query).slice(0, 5).length);`,
  },
  {
    name: 'better-sqlite3 FTS5',
    command: () => process.execPath,
    script: FTS("const Database = require('better-sqlite3'); const db = new Database(file);"),
  },
  {
    name: 'node:sqlite FTS5, Node 24',
    command: (folder) => join(folder, 'node_modules/node/bin/node'),
    script: FTS("const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(file);"),
  },
];

/** The engines that are installed, with their indexes built; the others are left out. */
export function engines(folder: string, corpus: Corpus, query: string): Contender[] {
  const found = ENGINES.flatMap(({ name, command, script }) => {
    const program = command(folder);
    if (!existsSync(program)) return [];
    const path = join(folder, `bench-${name.replace(/\W+/g, '-')}.cjs`);
    writeFileSync(
      path,
      `const [mode, file, lines, query] = process.argv.slice(2); const fs = require('node:fs');\n${script}\n`,
    );
    const index = join(corpus.folder, `${name.replace(/\W+/g, '-')}.index`);
    const { status } = spawnSync(program, [path, 'build', index, corpus.lines], { stdio: 'ignore' });
    if (status !== 0) return [];
    return [{ name, command: program, args: [path, 'search', index, corpus.lines, query] }];
  });
  return [...found, ...ripgrep(corpus, query), ...qmd(folder, corpus, query)];
}

/** Finds lines with any of the words, unranked, as an agent does that has no other tool. */
function ripgrep({ workspace }: Corpus, query: string): Contender[] {
  const command = 'rg';
  if (spawnSync(command, ['--version']).status !== 0) return [];
  const args = ['--no-config', '-w', '-m', '5', query.split(' ').join('|'), workspace];
  return [{ name: 'ripgrep', command, args }];
}

/** BM25 of qmd, without its models. */
function qmd(folder: string, corpus: Corpus, query: string): Contender[] {
  const command = join(folder, 'node_modules/.bin/qmd');
  if (!existsSync(command)) return [];
  const home = join(corpus.folder, 'qmd');
  mkdirSync(home, { recursive: true });
  const env = {
    HOME: home,
    XDG_CACHE_HOME: home,
    XDG_CONFIG_HOME: home,
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`,
  };
  const add = ['collection', 'add', join(corpus.workspace, 'memory'), '--name', 'notes'];
  const { status } = spawnSync(command, add, { env: { ...process.env, ...env }, stdio: 'ignore' });
  return status === 0
    ? [{ name: 'qmd BM25', command, args: ['search', query.split(' ').at(-1) ?? '', '-n', '5'], env }]
    : [];
}

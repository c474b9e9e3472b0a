/**
 * Speed of memory search on the built package. `tsx scripts/bench/memory.ts [--runs 15] [--sizes 1000,100000]
 * [--engines FOLDER]`. Cold figures are ratios to `node -e 0`, runs interleaved, medians and lowest. `--engines`
 * names a folder with `node_modules` that holds minisearch or better-sqlite3, to be measured beside it.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ter',
  'ran',
  'po',
  'ses',
  'vi',
  'dor',
  'en',
  'al',
  'qu',
  'sta',
  'ble',
  'ing',
  'con',
];
const VOCABULARY = 50_000;
/** Words of rank 40, 300, 1,500 and 9,000: one common, three telling. */
const QUERY = [40, 300, 1500, 9000].map(word).join(' ');

function word(rank: number): string {
  let out = '';
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / 16)) out += SYLLABLES[rest % 16];
  return out;
}

/** Notes of ten lines a file, words by Zipf's law, always the same. */
function generate(root: string, passages: number): void {
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let file = 0; file * 10 < passages; file++) {
    const date = new Date(Date.UTC(2000, 0, 1) + (file % 9000) * 864e5).toISOString().slice(0, 10);
    const lines = Array.from({ length: 10 }, () => {
      const words = Array.from({ length: 8 + Math.floor(random() * 20) }, () =>
        word(Math.min(VOCABULARY, Math.floor(Math.exp(random() * Math.log(VOCABULARY))))),
      );
      return `- ${words.join(' ')}\n`;
    });
    const folder = join(root, 'memory', `${date.slice(0, 4)}-${Math.floor(file / 9000)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${date}.md`), `# ${date}\n\n${lines.join('')}`);
  }
  writeFileSync(join(root, 'MEMORY.md'), '# Memory\n\n- the pad is made of paper\n');
}

interface Run {
  milliseconds: number;
  /** Peak resident memory in MB, where `/usr/bin/time` can tell. */
  megabytes: number;
}

const TIME = '/usr/bin/time';
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_EXTRA_CA_CERTS'),
);

function run(args: readonly string[], measureMemory = false): Run {
  const measured = measureMemory && existsSync(TIME);
  const command = measured ? TIME : process.execPath;
  const all = measured ? ['-f', '%M', process.execPath, ...args] : [...args];
  const start = process.hrtime.bigint();
  const { stderr, status } = spawnSync(command, all, { env: ENV, stdio: ['ignore', 'ignore', 'pipe'] });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${String(stderr)}`);
  return { milliseconds, megabytes: Number(/(\d+)\s*$/.exec(String(stderr))?.[1] ?? 0) / 1024 };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

function engines(folder: string, corpus: string, file: string): [string, string[]][] {
  const out: [string, string[]][] = [];
  const add = (name: string, load: string, body: string): void => {
    if (!existsSync(join(folder, 'node_modules', name))) return;
    const script = join(folder, `bench-${name}.cjs`);
    writeFileSync(
      script,
      `const [mode,file,data,query]=process.argv.slice(2);const fs=require('fs');${load}\n${body}`,
    );
    const target = `${file}.${name}`;
    spawnSync(process.execPath, [script, 'build', target, corpus], { env: ENV });
    if (existsSync(target)) out.push([name, [script, 'search', target, corpus, QUERY]]);
  };
  add(
    'minisearch',
    `const MiniSearch=require(${JSON.stringify(join(folder, 'node_modules/minisearch'))});const o={fields:['text']};`,
    `if(mode==='build'){const m=new MiniSearch(o);m.addAll(JSON.parse(fs.readFileSync(data,'utf8')).map((text,id)=>({id,text})));fs.writeFileSync(file,JSON.stringify(m))}else{const m=MiniSearch.loadJSON(fs.readFileSync(file,'utf8'),o);m.search(query).slice(0,5)}`,
  );
  add(
    'better-sqlite3',
    `const D=require(${JSON.stringify(join(folder, 'node_modules/better-sqlite3'))});`,
    `const d=new D(file);if(mode==='build'){d.exec("create virtual table t using fts5(text, tokenize='porter')");const i=d.prepare('insert into t values(?)');d.transaction(()=>{for(const x of JSON.parse(fs.readFileSync(data,'utf8')))i.run(x)})()}else{d.prepare("select rowid from t where t match ? order by rank limit 5").all(query.split(' ').join(' OR '))}`,
  );
  return out;
}

function bench(passages: number, runs: number, engineFolder: string | undefined): void {
  const root = mkdtempSync(join(tmpdir(), 'scratchpad-bench-'));
  try {
    generate(root, passages);
    const place = ['--workspace', root];
    const build = run([PROGRAM, 'memory', 'index', ...place], true);
    const search = [PROGRAM, 'memory', 'search', ...place, QUERY];
    run(search);
    const commands: [string, string[]][] = [
      ['node -e 0', ['-e', '0']],
      ['memory search', search],
    ];
    if (engineFolder !== undefined) {
      const corpus = join(root, 'corpus.json');
      const texts: string[] = [];
      for (let file = 0; file * 10 < passages; file++) {
        const date = new Date(Date.UTC(2000, 0, 1) + (file % 9000) * 864e5).toISOString().slice(0, 10);
        const path = join(root, 'memory', `${date.slice(0, 4)}-${Math.floor(file / 9000)}`, `${date}.md`);
        texts.push(
          ...readFileSync(path, 'utf8')
            .split('\n')
            .filter((line) => line.startsWith('- ')),
        );
      }
      writeFileSync(corpus, JSON.stringify(texts));
      commands.push(...engines(engineFolder, corpus, join(root, 'engine')));
    }
    const times = commands.map((): number[] => []);
    for (let i = 0; i < runs; i++) {
      for (const [k, [, args]] of commands.entries()) times[k]?.push(run(args).milliseconds);
    }
    const updates: number[] = [];
    for (let i = 0; i < Math.min(5, runs); i++) {
      appendFileSync(join(root, 'MEMORY.md'), `- zeppelin ${i} has landed\n`);
      updates.push(run([PROGRAM, 'memory', 'search', ...place, `zeppelin ${i}`]).milliseconds);
    }
    const [zero = []] = times;
    const memory = run(search, true).megabytes;
    console.log(
      `\n${passages} passages, ${runs} runs\n\n| what | median ms | ratio | lowest ms | ratio of lowest |\n|---|---|---|---|---|`,
    );
    commands.forEach(([name], k) => {
      const own = times[k] ?? [];
      const cells = [
        median(own),
        median(own) / median(zero),
        Math.min(...own),
        Math.min(...own) / Math.min(...zero),
      ];
      console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(2)).join(' | ')} |`);
    });
    console.log(
      `| search after one changed file | ${median(updates).toFixed(2)} | ${(median(updates) / median(zero)).toFixed(2)} | ${Math.min(...updates).toFixed(2)} | ${(Math.min(...updates) / Math.min(...zero)).toFixed(2)} |`,
    );
    console.log(
      `\nfull build: ${(build.milliseconds / 1000).toFixed(2)} s, ${build.megabytes.toFixed(0)} MB; peak memory of a search: ${memory.toFixed(0)} MB (node -e 0: ${run(['-e', '0'], true).megabytes.toFixed(0)} MB)`,
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    sizes: { type: 'string', default: '1000,100000' },
    engines: { type: 'string' },
  },
});
for (const size of values.sizes.split(',')) bench(Number(size), Number(values.runs), values.engines);

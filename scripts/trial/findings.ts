/**
 * Four tasks of investigation, whose answers a seed draws: the author of a session cannot know them. Each is a project with
 * one fault, found only by reading; the facts that lead to it are its findings.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRandom } from '../random.ts';
import { TASKS, type Task } from './tasks.ts';

interface Draw {
  one<T>(of: readonly T[]): T;
  between(low: number, high: number): number;
}

interface Made {
  first: string;
  /** Files of the project by their paths. */
  files: Record<string, string>;
  /** Facts by name, as patterns. */
  findings: Record<string, string>;
  /** Commands that succeed once the fault is gone, by what they show. */
  requirements: Record<string, string>;
}

const SECOND = 'The usage limit cut us off. Please go on with it and finish it; I am not there to answer.';
const STEPS = 'collect dedupe convert weigh bundle discount levy insure round split book sum'.split(' ');
const REGIONS = ['Tarn', 'Velm', 'Osko', 'Brae', 'Lund', 'Pirn'];

/** A number beside its noun: any other line may hold the number, too. */
const drawNear = (count: number, noun: string): string =>
  `\\b${count}\\b[^.\\n]{0,60}${noun}|${noun}[^.\\n]{0,60}\\b${count}\\b`;

/** Files that have to be read, too: each does a little of something. */
const makeFiller = (name: string, { between }: Draw): string =>
  Array.from({ length: 6 }, (_, k) => {
    const [limit, share] = [between(11, 97), between(2, 9)];
    return `/** Keeps what ${name} notes in part ${k + 1}. */\nexport function ${name}Part${k + 1}(entries) {\n  const kept = entries.filter((entry) => entry.weight >= 0 && entry.weight <= ${limit * 1000});\n  return kept.map((entry) => ({ ...entry, ${name}${k + 1}: Math.min(${limit}, Math.round(entry.weight / ${share})) }));\n}\n`;
  }).join('\n');

function makeBilling(draw: Draw): Made {
  const step = draw.one(STEPS.slice(2, 11));
  const [region, heavy, cents] = [draw.one(REGIONS), draw.between(1200, 4800), draw.between(131, 389)];
  const orders = Array.from({ length: 90 }, (_, k) => ({
    id: `o${1000 + k}`,
    region: REGIONS[k % REGIONS.length],
    weight: draw.between(100, 6000),
    cents: draw.between(900, 90_000),
  }));
  const wrong = orders.filter((order) => order.region === region && order.weight > heavy);
  const files = Object.fromEntries(
    STEPS.map((name) => {
      const fault =
        name === step
          ? `    if (order.region === '${region}' && order.weight > ${heavy}) return { ...order, cents: order.cents - ${cents} };\n`
          : '';
      const body = `/** The step "${name}" of the bill. */\nexport function ${name}(orders) {\n  return orders.map((order) => {\n${fault}    return { ...order, cents: Math.round(order.cents) };\n  });\n}\n`;
      return [`src/steps/${name}.js`, `${makeFiller(name, draw)}\n${body}`];
    }),
  );
  const total = orders
    .filter((order) => order.region === region)
    .reduce((sum, order) => sum + order.cents, 0);
  return {
    first: `The bill of region ${region} is too low: the sum of its orders says otherwise. Find out why, and for how many orders, then fix it and put the number of orders into README.md. node src/bill.js REGION prints a bill. Take the time to understand it before you change a file.`,
    files: {
      ...files,
      'src/bill.js': `import { readFileSync } from 'node:fs';\n${STEPS.map((name) => `import { ${name} } from './steps/${name}.js';`).join('\n')}\n\nconst orders = JSON.parse(readFileSync(new URL('../data/orders.json', import.meta.url), 'utf8'));\nconst billed = [${STEPS.join(', ')}].reduce((all, step) => step(all), orders.filter(({ region }) => region === process.argv[2]));\nconsole.log(billed.reduce((sum, { cents }) => sum + cents, 0));\n`,
      'data/orders.json': `${JSON.stringify(orders, null, 1)}\n`,
      'README.md': '# Bills\n\nThe bill of a region goes through twelve steps.\n',
    },
    findings: {
      'the step': `\\b${step}\\b`,
      'the weight': `${heavy}`,
      'the cents': `\\b${cents}\\b`,
      'the number of orders': drawNear(wrong.length, 'order'),
    },
    requirements: {
      'the bill is right': `test "$(node src/bill.js ${region})" = ${total}`,
      'the number stands in README.md': `grep -qw ${wrong.length} README.md`,
    },
  };
}

function makeGateway(draw: Draw): Made {
  const devices = Array.from({ length: 24 }, (_, k) => ({
    id: `dv-${draw.between(100, 999)}${'abcdefghijklmnopqrstuvwx'[k]}`,
    firmware: `${draw.between(2, 4)}.${k}.${draw.between(1, 9)}`,
  }));
  const device = draw.one(devices);
  const [most, port] = [draw.between(300, 480), draw.between(4100, 4990)];
  const lines = Array.from({ length: 380 }, (_, k) => {
    const { id } = draw.one(devices.filter((one) => one !== device));
    const time = `${String(Math.floor(k / 60) + 2).padStart(2, '0')}:${String(k % 60).padStart(2, '0')}`;
    if (k % 31 === 17)
      return `${time} gw-${port} frame ${device.id} len=${most + draw.between(1, 60)} crc=mismatch dropped`;
    if (k % 31 === 9) return `${time} gw-${port} frame ${device.id} len=${most - draw.between(0, 9)} ok`;
    return `${time} gw-${port} frame ${id} len=${draw.between(20, 250)} ok`;
  });
  const log = [
    ...lines,
    `09:00 gw-${port} frame ${device.id} len=${most} ok`,
    `09:01 gw-${port} frame ${device.id} len=${most + 1} crc=mismatch dropped`,
  ];
  const frame = (length: number): string =>
    `node -e "import('./src/read.js').then(({ readFrame }) => { const p = Buffer.alloc(${length}, 7); let s = 0; for (const b of p) s = (s * 31 + b) % 65521; process.exit(readFrame(p, s) === true ? 0 : 1) })"`;
  return {
    first:
      'One of our devices loses frames in the night (log/night.log). Find out which one, from which length on, and which firmware it has; then fix the reader in src/, and write device, length and firmware into INCIDENT.md. Understand it before you change a file.',
    files: {
      'log/night.log': `${log.join('\n')}\n`,
      'data/devices.json': `${JSON.stringify(devices, null, 1)}\n`,
      'src/read.js': `import { sumOf } from './sum.js';\nimport { cut } from './window.js';\n\n/** Whether a frame has the sum that its device sent with it. */\nexport const readFrame = (payload, sum) => sumOf(cut(payload)) === sum;\n`,
      'src/sum.js': `${makeFiller('sum', draw)}\nexport const sumOf = (bytes) => {\n  let sum = 0;\n  for (const byte of bytes) sum = (sum * 31 + byte) % 65521;\n  return sum;\n};\n`,
      'src/window.js': `${makeFiller('window', draw)}\nimport { LIMITS } from './limits.js';\n\n/** The part of a frame that is read. */\nexport const cut = (payload) => payload.subarray(0, LIMITS.frame);\n`,
      'src/limits.js': `export const LIMITS = {\n${Array.from({ length: 20 }, (_, k) => `  area${k}: ${draw.between(100, 900)},`).join('\n')}\n  frame: ${most},\n  port: ${port},\n};\n`,
      'README.md': '# Gateway\n\nReads frames of up to 1024 bytes.\n',
    },
    findings: {
      'the device': device.id,
      'the length': `\\b(?:${most}|${most + 1})\\b`,
      'the firmware': device.firmware.replaceAll('.', '\\.'),
      'the limit': 'limits\\.js|LIMITS',
    },
    requirements: {
      'longer frames are read': frame(most + 200),
      'short frames are read': frame(40),
      'the device is named': `grep -q ${device.id} INCIDENT.md`,
      'the firmware is named': `grep -qF ${device.firmware} INCIDENT.md`,
    },
  };
}

function makeLedger(draw: Draw): Made {
  const months = Array.from({ length: 12 }, (_, k) => `2026-${String(k + 1).padStart(2, '0')}`);
  const month = draw.one(months);
  const shop = draw.one(REGIONS);
  let [total, bad] = [0, 0];
  const files = Object.fromEntries(
    months.map((name) => {
      const rows = Array.from({ length: 40 }, (_, k) => {
        const [of, cents] = [REGIONS[draw.between(0, 5)] ?? '', draw.between(100, 250_000)];
        total += cents;
        const isBad = name === month && of === shop;
        if (isBad) bad += 1;
        const text = (cents / 100).toFixed(2);
        return `${name}-${String((k % 28) + 1).padStart(2, '0')};${of};${isBad ? text.replace('.', ',') : text}`;
      });
      return [`books/${name}.csv`, `date;shop;amount\n${rows.join('\n')}\n`];
    }),
  );
  return {
    first:
      'node src/total.js prints the turnover of the year, and it is too low. Find out in which file, of which shop and for how many rows, then fix the program, not the books, and write file, shop and the number of rows into FINDINGS.md. Understand it before you change a file.',
    files: {
      ...files,
      'src/total.js':
        "import { readdirSync, readFileSync } from 'node:fs';\nimport { cents } from './cents.js';\n\nconst books = new URL('../books/', import.meta.url);\nlet total = 0;\nfor (const name of readdirSync(books))\n  for (const line of readFileSync(new URL(name, books), 'utf8').trim().split('\\n').slice(1)) total += cents(line.split(';')[2]);\nconsole.log(total);\n",
      'src/cents.js': `${makeFiller('cents', draw)}\nexport const cents = (text) => Math.round(Number.parseFloat(text) * 100);\n`,
      'README.md': '# Books\n\nOne file a month; amounts in euros.\n',
    },
    findings: {
      'the month': month,
      'the shop': `\\b${shop}\\b`,
      'the rows': drawNear(bad, 'row'),
      'the comma': 'comma|,\\d\\d\\b',
    },
    requirements: {
      'the total is right': `test "$(node src/total.js)" = ${total}`,
      'the month is named': `grep -q ${month} FINDINGS.md`,
      'the shop is named': `grep -q ${shop} FINDINGS.md`,
      'the rows are counted': `grep -qw ${bad} FINDINGS.md`,
    },
  };
}

function makeLimits(draw: Draw): Made {
  const tenants = Array.from({ length: 16 }, (_, k) => `t${draw.between(10, 99)}${'abcdefghijklmnop'[k]}`);
  const [tenant, zone] = [draw.one(tenants), draw.one(REGIONS).toLowerCase()];
  const [asked, got] = [draw.between(31, 59) * 100, draw.between(11, 29) * 100];
  const makeFile = (values: object): string => `${JSON.stringify(values, null, 1)}\n`;
  const makeNoise = (): object =>
    Object.fromEntries(Array.from({ length: 14 }, (_, k) => [`option${k}`, draw.between(1, 999)]));
  return {
    first: `Tenant ${tenant} has a timeout of its own in config/tenants, and node src/show.js ${tenant} does not print it. Find out which file wins and why, then fix src/ so that a tenant's own value always wins (no change in config/), and write the name of that file, the value that it gave and the right one into WHY.md. Understand it before you change a file.`,
    files: {
      ...Object.fromEntries(
        tenants.map((name) => [
          `config/tenants/${name}.json`,
          makeFile({
            ...makeNoise(),
            zone: name === tenant ? zone : draw.one(REGIONS).toLowerCase(),
            timeoutMs: name === tenant ? asked : 900,
          }),
        ]),
      ),
      ...Object.fromEntries(
        REGIONS.map((name) => [
          `config/zones/${name.toLowerCase()}.json`,
          makeFile({ ...makeNoise(), ...(name.toLowerCase() === zone && { timeout_ms: got }) }),
        ]),
      ),
      'config/base.json': makeFile({ ...makeNoise(), timeoutMs: 1000 }),
      'src/show.js':
        "import { settingsOf } from './settings.js';\n\nconsole.log(settingsOf(process.argv[2]).timeoutMs);\n",
      'src/settings.js': `${makeFiller('settings', draw)}\nimport { readFileSync } from 'node:fs';\nimport { modern } from './modern.js';\n\nconst read = (name) => JSON.parse(readFileSync(new URL(\`../config/\${name}.json\`, import.meta.url), 'utf8'));\n\nexport function settingsOf(tenant) {\n  const own = read(\`tenants/\${tenant}\`);\n  return modern({ ...read('base'), ...read(\`zones/\${own.zone}\`), ...own });\n}\n`,
      'src/modern.js': `${makeFiller('modern', draw)}\n/** Old names of settings become new ones. */\nexport const modern = (settings) =>\n  Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (name === 'timeout_ms' ? [] : [[name, value]])).concat(\n    'timeout_ms' in settings ? [['timeoutMs', settings.timeout_ms]] : [],\n  ));\n`,
      'README.md': '# Settings\n\nbase, then zone, then tenant: the later wins.\n',
    },
    findings: {
      'the zone': `\\b${zone}\\b`,
      'the old name': 'timeout_ms',
      'the value': `\\b${got}\\b`,
      'the renaming': '\\bmodern\\b',
    },
    requirements: {
      "the tenant's value wins": `test "$(node src/show.js ${tenant})" = ${asked}`,
      'an old name still counts': `node -e "import('./src/settings.js').then(({ settingsOf }) => process.exit(settingsOf('${tenants.find((name) => name !== tenant)}').timeoutMs > 0 ? 0 : 1))"`,
      'the file is named': `grep -q ${zone} WHY.md`,
      'both values are named': `grep -qw ${got} WHY.md && grep -qw ${asked} WHY.md`,
    },
  };
}

const KINDS = { billing: makeBilling, gateway: makeGateway, ledger: makeLedger, limits: makeLimits };
const CHECKS = `import { readFileSync } from 'node:fs';
import { check, copy, report, run } from '../lib.mjs';

const { requirements } = JSON.parse(readFileSync(new URL('task.json', import.meta.url), 'utf8'));
for (const [name, command] of Object.entries(requirements)) check(name, () => run(command, copy()).code === 0);
report();
`;

/** Writes the four tasks as a seed draws them. */
export function drawFindings(folder: string, seed: number): Task[] {
  mkdirSync(folder, { recursive: true });
  cpSync(join(TASKS, 'lib.mjs'), join(folder, 'lib.mjs'));
  return Object.entries(KINDS).map(([name, make], at) => {
    const random = createRandom(seed * 31 + at);
    const drawBetween = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
    const made = make({ between: drawBetween, one: (of) => of[drawBetween(0, of.length - 1)] as never });
    const own = join(folder, name);
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(join(own, path)), { recursive: true });
      writeFileSync(join(own, path), text);
    };
    for (const [path, text] of Object.entries(made.files)) put(join('project', path), text);
    put('project/package.json', `${JSON.stringify({ name, private: true, type: 'module' })}\n`);
    const { findings, requirements, first } = made;
    const task = {
      kind: 'findings',
      first: [{ text: first }],
      second: [{ text: SECOND }],
      findings,
      requirements,
    };
    put('task.json', `${JSON.stringify(task, null, 1)}\n`);
    put('checks.mjs', CHECKS);
    return { ...task, name, folder: own, recorded: [], again: 'Please decide yourself and finish it.' };
  });
}

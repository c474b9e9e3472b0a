import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../scripts/random.ts';
import { findSecrets, redactMessage, redactPassage, redactSecrets } from '../../../src/base/safety/index.ts';
import { runs } from '../../helpers/runs.ts';
import { hostileText } from './hostile.ts';
import { HARMLESS, PASSWORDS } from './lines.ts';
import { ORDINARY } from './ordinary.ts';
import { ALONE, DISGUISES, fill, survivor, TOLD } from './planted.ts';

const random = createRandom(20_260_206);
const ALONE_CASES = ALONE.map(([kind, template]) => [kind, fill(template, random)] as const);
const TOLD_CASES = TOLD.map(([kind, context, template]) => {
  const secret = fill(template, random);
  return [kind, secret, (shown: string) => fill(context, random).replace('§', () => shown)] as const;
});

describe('redactSecrets', () => {
  it('knows more than two hundred kinds and spellings', () => {
    expect(new Set([...ALONE, ...TOLD].map(([kind]) => kind)).size).toBeGreaterThan(300);
  });

  describe('leaves nothing of a token that stands alone', () => {
    it.each(ALONE_CASES)('%s', (_, secret) => {
      for (const text of [
        `deploy with ${secret} today`,
        `"${secret}"`,
        `(${secret}), then`,
        secret,
        `${secret}\n`,
      ]) {
        expect(survivor(secret, redactSecrets(text)), text).toBeNull();
      }
    });
  });

  describe('leaves nothing of a secret beside a telling word', () => {
    it.each(TOLD_CASES)('%s', (_, secret, context) => {
      const text = context(secret);
      expect(survivor(secret, redactSecrets(text)), text).toBeNull();
      const inNotes = `# Notes\n\n- ferries at noon\n${text}\n- bring the cable\n`;
      const safe = redactSecrets(inNotes);
      expect(survivor(secret, safe), inNotes).toBeNull();
      expect(safe).toContain('- ferries at noon');
      expect(safe.split('\n')).toHaveLength(inNotes.split('\n').length);
    });
  });

  it.each([
    ['Markdown', '| host | user | password |\n|:--|---|--:|\n| db1 | sam | § |\n| db2 | ann | `§2` |'],
    ['CSV', 'All, as exported:\nname,url,username,password\nshop,https://shop.example,sam,§\nwiki,,ann,§2\n'],
    ['psql', ' usename |  passwd\n---------+----------\n sam  | §\n ann | §2\n(2 rows)\n'],
    ['tabs', 'host\tDB password\tuser\r\ndb1\t§\tsam\r\ndb2\t§2\tann\r\n'],
    ['many rows', `|x|API key|\n|-|-|\n${'|a|b|\n'.repeat(300)}|db1|§|`],
  ])('leaves nothing of the secrets below a telling head: %s', (_, table) => {
    const secret = fill('{A20}', random);
    const safe = redactSecrets(table.replaceAll('§', secret));
    expect(safe).not.toContain(secret);
    expect(safe.split('\n').map((row) => row.length > 0)).toEqual(
      table.split('\n').map((row) => row.length > 0),
    );
    expect(safe.replaceAll(/\[redacted: [\w ]+\]2?/g, '§').replaceAll('§2', '§')).toBe(
      table.replaceAll('§2', '§'),
    );
  });

  it('leaves nothing of a code that is told with the name of a thing', () => {
    expect(redactSecrets('unlock code for the alarm is 482913')).toBe(
      'unlock code for the alarm is [redacted: code]',
    );
  });

  describe('sees through', () => {
    it.each(DISGUISES)('%s', (_, disguise) => {
      const left = [
        ...ALONE_CASES.map(
          ([kind, secret]) => [kind, secret, `deploy with ${disguise(secret)} today`] as const,
        ),
        ...TOLD_CASES.map(([kind, secret, context]) => [kind, secret, context(disguise(secret))] as const),
      ].filter(([, secret, text]) => survivor(secret, redactSecrets(text)) !== null);
      expect(left.map(([kind]) => kind)).toEqual([]);
    });
  });

  const hex = '3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4f9a8b7c';
  const uuid = '3f9a8b7c-6d5e-4f3a-8b1c-0d9e8f7a6b5c';

  it.each([
    ...[`here: ${hex}`, `here you go\n${hex}`, `ok ${hex}`, `it's ${hex}`, `Hier: ${hex}`, `${hex} thanks`],
    ...[`OK, the new one is "${hex}", thanks!`, `here: ${uuid}`, 'the key Zk8fJ2mQx9Lw4TnB7vRc1YpHs6DgUe3A'],
    ...[
      `voilà la clé : ${hex}`,
      `这是密钥：${hex}`,
      `これです ${hex}`,
      `вот ключ: ${hex}`,
      `d'accord, c'est ${hex}`,
    ],
    `Set up CI for me, with the tests.\n\nhere you go:\n${hex}\nThen push.`,
  ])('leaves nothing of a key beside small words: %j', (text) => {
    expect(redactSecrets(text)).toContain('[redacted: key]');
  });

  it.each([
    ...[`revert ${hex}`, `the commit is ${hex}`, `${hex} Fix the parser`, `${hex}  src/a.ts`, `see ${hex}`],
    ...[
      `Commits:\n${hex}\n${hex}`,
      `it works since ${hex}`,
      `the id is ${uuid}`,
      uuid,
      `is ${hex} deployed?`,
    ],
  ])('leaves an id beside other words: %j', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('takes a UUID for a key where it is all of a message', () => {
    expect(redactMessage(`${uuid}\n`)).toBe('[redacted: key]\n');
    expect(redactMessage(`run ${uuid} failed`)).toBe(`run ${uuid} failed`);
  });

  it.each(ORDINARY)('leaves an ordinary line alone: %s', (line) => {
    expect(redactSecrets(line)).toBe(line);
  });

  it('leaves the ordinary lines alone as one text', () => {
    expect(redactSecrets(ORDINARY.join('\n'))).toBe(ORDINARY.join('\n'));
  });

  it('names what it took out and keeps the rest', () => {
    expect(redactSecrets(`export GITHUB_TOKEN=${'gh'}p_${'a7'.repeat(18)} # for CI`)).toBe(
      'export GITHUB_TOKEN=[redacted: GitHub token] # for CI',
    );
    expect(redactSecrets('postgres://sam:hunter2@db:5432/shop')).toBe(
      'postgres://sam:[redacted: password in a URL]@db:5432/shop',
    );
    expect(redactSecrets('pay 4111 1111 1111 1111 now')).toBe('pay [redacted: card number] now');
  });

  it('changes nothing the second time, and keeps every line', () => {
    const pieces = fc.oneof(
      fc.constantFrom(...ALONE_CASES.map(([, secret]) => secret)),
      fc.constantFrom(...TOLD_CASES.map(([, secret, context]) => context(secret))),
      fc.constantFrom(...ORDINARY),
      fc.constantFrom(
        'password',
        ' is ',
        ': ',
        '=',
        ' ',
        '\n',
        '"',
        "'",
        ']',
        '[redacted: ',
        'token',
        'api key',
        'hunter2',
      ),
      hostileText(),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const safe = redactSecrets(parts.join(''));
        expect(redactSecrets(safe)).toBe(safe);
      }),
      { numRuns: runs(30) },
    );
  });
});

describe('the lines of the evaluation', () => {
  it.each(PASSWORDS)('no password is left of: %s', (line) => {
    expect(redactSecrets(line.replace('§', () => 'Winter7508!'))).not.toContain('Winter7508');
  });

  const made = (line: string): string =>
    line
      .replaceAll('UUID', '446f6b3c-e344-42ed-a400-d81b11ff6723')
      .replace(/HEX(\d+)/g, (_, length: string) => '4f9a08b7c6d5'.repeat(7).slice(0, Number(length)))
      .replace(/BASE(\d+)/g, (_, length: string) => 'x7Kq9Zb2Lm4Tn'.repeat(7).slice(0, Number(length)));
  it.each(HARMLESS)('nothing is taken out of: %s', (line) => {
    expect(redactSecrets(made(line))).toBe(made(line));
  });
});

describe('in any text', () => {
  const surroundings = fc.oneof(fc.constantFrom(...ORDINARY), hostileText(), fc.string({ maxLength: 40 }));
  const secrets = fc.constantFrom(...ALONE_CASES.map(([, secret]) => secret));

  it('no secret of the tables survives on its own line or between blanks', () => {
    const joints = fc.constantFrom('\n', '\n\n', '\n  ', ' | ');
    fc.assert(
      fc.property(surroundings, joints, secrets, joints, surroundings, (before, a, secret, b, after) => {
        // A quote or a bracket that opens before may belong to what follows.
        const text = `${before.replace(/["'`<\\%&*]+/g, '')}${a}${secret}${b}${after}`;
        expect(survivor(secret, redactSecrets(text)), text).toBeNull();
      }),
      { numRuns: runs(70) },
    );
  });

  it('the number of lines stays, and a text without findings stays as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(surroundings, secrets), { maxLength: 6 }), (lines) => {
        const text = lines.join('\n');
        const safe = redactSecrets(text);
        expect(safe.split('\n')).toHaveLength(text.split('\n').length);
        if (findSecrets(text).length === 0) expect(safe).toBe(text);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('findSecrets', () => {
  it('marks what is personal and no credential', () => {
    expect(findSecrets('4111 1111 1111 1111')).toEqual([
      { kind: 'card number', start: 0, end: 19, personal: true },
    ]);
    expect(findSecrets('IBAN DE89 3704 0044 0532 0130 00.')).toEqual([
      { kind: 'IBAN', start: 5, end: 32, personal: true },
    ]);
    expect(findSecrets('password: hunter2')).toEqual([{ kind: 'password', start: 10, end: 17 }]);
  });

  it('gives ranges in order, inside the text, apart from each other', () => {
    const pieces = fc.oneof(
      fc.constantFrom(...TOLD_CASES.map(([, secret, context]) => context(secret))),
      fc.constantFrom(...ALONE_CASES.map(([, secret]) => secret)),
      hostileText(),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const text = parts.join(' ');
        let last = 0;
        for (const { start, end } of findSecrets(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: runs(20) },
    );
  });

  it('finds a secret wherever it stands in a long text', () => {
    const secret = `gh${'p'}_${'Ab3'.repeat(12)}`;
    const prose = 'The ferry left at noon and nobody was on it. '.repeat(400);
    for (const at of [0, 7_000, prose.length]) {
      expect(redactSecrets(`${prose.slice(0, at)} ${secret} ${prose.slice(at)}`)).not.toContain(secret);
    }
  });

  it('keeps positions in text whose lower case is longer', () => {
    const text = `${'İ'.repeat(20)} password: hunter2`;
    expect(redactSecrets(text)).toBe(`${'İ'.repeat(20)} password: [redacted: password]`);
  });

  it('keeps positions behind an escaped character of two code units', () => {
    const text = `\\😀 gh**${'p'}_${'Ab3'.repeat(12)}** today`;
    expect(redactSecrets(text)).toBe('\\😀 [redacted: GitHub token]** today');
  });

  it('reads a quoted value to its own quote when one further on was read before', () => {
    expect(redactSecrets('password in pwd "hunter2a" now: "other"')).toBe(
      'password in pwd "[redacted: password]" now: "other"',
    );
  });
});

describe('redactPassage', () => {
  it('a passage that begins, ends or lies in the middle of a secret holds no part of it', () => {
    const url = `https://acme.webhook.office.com/webhookb2/${'a756a465-2c44-ae6f-c39a-a70c900ebb35@'.repeat(2)}`;
    const hidden = [...`${url}/IncomingWebhook/a76b3a56ccf4b4253b6246985ee4c919/a7d6aded`]
      .map((letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
      .join('');
    const surroundings = `- deploy with ${hidden} today, if the tests pass`;
    for (const cut of [150, 200, 300]) {
      expect(redactPassage(surroundings.slice(cut), surroundings)).toMatch(/^\[redacted: [^\]]+\] today, if/);
      const [start] = redactPassage(surroundings.slice(0, cut), surroundings).split('[redacted: ');
      expect(hidden.startsWith(start?.slice('- deploy with '.length) ?? '-')).toBe(true);
    }
    expect(redactPassage(surroundings.slice(170, 260), surroundings)).toMatch(/^\[redacted: [^\]]+\]$/);
    expect(redactPassage('today, if the tests pass', surroundings)).toBe('today, if the tests pass');
  });

  const body = `${'Ab3/'.repeat(16)}`;

  it.each([
    ['db:\n  password:\n    Zx81-spectrum', 'Zx81-spectrum', '[redacted: password]'],
    [
      `-----BEGIN ${'RSA'} PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`,
      body,
      '[redacted: private key]',
    ],
    [
      `push with gh${'p'}_${'Ab3'.repeat(7)}\n${'Ab3'.repeat(5)} today`,
      `push with gh${'p'}_${'Ab3'.repeat(7)} ${'Ab3'.repeat(5)} today`,
      'push with [redacted: GitHub token] [redacted: GitHub token] today',
    ],
    ['the ferry left at noon', 'left at noon', 'left at noon'],
    ['passphrase: lantern orbit gravel\nthe lantern is lit', 'the lantern is lit', 'the lantern is lit'],
  ])('in %j', (surroundings, passage, expected) => {
    expect(redactPassage(passage, surroundings)).toBe(expected);
  });

  it('does what redactSecrets does when there is nothing around', () => {
    for (const [, secret, context] of TOLD_CASES) {
      expect(survivor(secret, redactPassage(context(secret), ''))).toBeNull();
    }
  });
});

it('leaves a mark whole that a finding runs into, and stops', () => {
  const once = redactSecrets('next=%2Flogin%3Fpassword%3Da7PZpCR2r84J<!--');
  expect(once).not.toContain('7PZpCR2r84J');
  expect(redactSecrets(once)).toBe(once);
  expect(once.match(/\[redacted: /g)).toHaveLength(1);
});

it('a key of digits is one where it is all of a text, or begins with 0x; beside words it is an id', () => {
  const key = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  for (const text of [key, `\`${key}\`\n`, key.slice(0, 40), `0x${key}`, `use 0x${key}`])
    expect(redactSecrets(text)).not.toContain(key.slice(0, 40));
  const mixed = 'k3Vq8ZpLr1XwT6yNd0HsBf4JmUc7GaEo2QiRt5Kv';
  for (const text of [mixed, `\`\`\`\n${mixed}\n\`\`\``, `${key}\n${mixed}`]) {
    expect(redactSecrets(text)).not.toContain(mixed);
    expect(redactSecrets(text)).not.toContain(key);
  }
  expect(redactSecrets(`order ${mixed}`)).toBe(`order ${mixed}`);
  const digits = '9081726354453627189000112233445566778899';
  for (const run of [digits, '1234567890'.repeat(4)]) expect(redactSecrets(`${run}\n`)).not.toContain(run);
  for (const text of ['0'.repeat(40), `pi is 3.${digits}`]) expect(redactSecrets(text)).toBe(text);
  for (const text of [`revert ${key.slice(0, 40)}`, `image sha256:${key}`, `tx 0x${key}`, `see ${key}`])
    expect(redactSecrets(text)).toBe(text);
});

it('what documentation writes in the place of a secret stays', () => {
  for (const text of [
    'https://YOUR_USERNAME:YOUR_PASSWORD@db.example.com',
    'NO_AUTH = "mongodb://localhost:27017/database"',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'pass: TestLogin2',
    'pass: 12, fail: 0',
    'gcloud auth application-default login',
  ])
    expect(redactSecrets(text)).toBe(text);
});

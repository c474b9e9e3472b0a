import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSettings, MADE_PARTS, SETTINGS_OF, SETTINGS_PARTS, withPart } from '../scripts/docs.ts';
import { renderCommandsPage } from '../scripts/manual.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { relativeLinks } from './helpers/links.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'workspace-example/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    // The page of the commands is made by the build.
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
    .map((name) => `docs/${name}`),
];

const text = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The anchors that a renderer of Markdown makes for headings, as GitHub does. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = text(page)
    .replace(/^(```+|~~~+)[\s\S]*?^\1/gm, '')
    .matchAll(/^#{1,6} +(.+?) *#*$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = heading
        .replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
        .replaceAll(' ', '-');
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

describe('links', () => {
  test.each(PAGES)('of %s lead to an existing file and heading', (page) => {
    const broken: string[] = [];
    for (const target of relativeLinks(text(page))) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, file)) || file.startsWith('..')) broken.push(target);
      else if (anchor !== undefined && !anchorsOf(file).has(anchor)) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  test('reach every page of the documentation from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const target of relativeLinks(text(page))) {
        const file = relative(ROOT, resolve(ROOT, dirname(page), target.replace(/#.*/, '')));
        if (PAGES.includes(file)) reached.add(file);
      }
    }
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });
});

test.each([...MADE_PARTS, ...SETTINGS_PARTS].map((part) => [`${part.name} in ${part.page}`, part] as const))(
  'the %s is as the code has it; mend it with: npx tsx scripts/docs.ts',
  async (_, part) => {
    expect(text(part.page)).toBe(await withPart(text(part.page), part));
  },
);

test('every setting is on one page', () => {
  const shown = Object.values(SETTINGS_OF).flatMap((names) => listSettings(names).map(({ key }) => key));
  expect(shown.toSorted()).toEqual(SETTINGS.map(({ key }) => key).toSorted());
});

describe('the pages', () => {
  const pages = PAGES.filter((page) => page.startsWith('docs/'));

  test('are twelve, and with README and the list of commands not too long', async () => {
    expect(pages).toHaveLength(12);
    const all = [...['README.md', ...pages].map(text), await renderCommandsPage()].join(' ');
    // As `wc -w` counts.
    expect(all.trim().split(/\s+/).length).toBeLessThan(18_500);
  });

  test.each(pages)('%s begins with its matter, and not with what its reader will know', (page) => {
    expect(text(page)).toMatch(/^# .+\n\n(?!After )\S/);
    expect(text(page)).not.toMatch(/After this page/i);
  });

  test.each(['README.md', ...pages])('%s names files that exist', (page) => {
    const named = [
      ...text(page).matchAll(
        /`(?:npx tsx |RUNS=\d+ npx vitest run |npx vitest run )?((?:src|scripts|test|examples|templates|models)\/[\w./-]*)/g,
      ),
    ].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('that the program and its sources name exist', () => {
    const files = ['src', 'scripts', 'templates'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        // The projects of the trial's tasks are not ours.
        .filter((name) => /\.(?:ts|md|js)$/.test(name) && !name.startsWith('trial/tasks/'))
        .map((name) => join(folder, name)),
    );
    const wrong = files.flatMap((file) =>
      [...text(file).matchAll(/(?<![\w/@])docs\/[\w/-]+\.md/g)]
        .map(([name]) => name)
        .filter((name) => name !== 'docs/commands.md' && !existsSync(join(ROOT, name)))
        .map((name) => `${file}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

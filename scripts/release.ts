/**
 * Makes a release in a folder: the tarball, checked in a clean prefix, and its notes from CHANGELOG.md. Publishes nothing.
 *
 *   npx tsx scripts/release.ts FOLDER
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const [, , out = ''] = process.argv;
if (out === '') throw new Error('name a folder for the release');
const folder = resolve(out);
mkdirSync(folder, { recursive: true });
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const must = (what: string, holds: boolean): void => {
  if (!holds) throw new Error(`the package is not right: ${what}`);
  console.log(`ok  ${what}`);
};

writeFileSync(join(folder, 'notes.md'), notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')));
run(ROOT, 'npm', 'run', '--silent', 'build');
// The name of the tarball is the last line.
const packed = run(ROOT, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder);
const tarball = join(folder, packed.split('\n').at(-1) ?? '');
const clean = mkdtempSync(join(tmpdir(), 'scratchpad-release-'));
try {
  check(clean);
} finally {
  rmSync(clean, { recursive: true, force: true });
}
console.log(`${tarball}\n${join(folder, 'notes.md')}`);

/** Installs the tarball as a person does, and uses it. */
function check(dir: string): void {
  const [prefix, work] = [join(dir, 'prefix'), join(dir, 'work')];
  mkdirSync(work);
  run(work, 'npm', 'install', '--silent', '--offline', '--global', '--prefix', prefix, tarball);
  const program = join(prefix, 'bin/scratchpad');
  must(`the program says that it is ${version}`, run(work, program, '--version') === version);
  must('the man page is linked', existsSync(join(prefix, 'share/man/man1/scratchpad.1')));
  run(work, program, 'init');
  must('a note is kept', run(work, program, 'notes', 'append', 'kept').startsWith('added: kept'));
  const library = join(prefix, 'lib/node_modules/scratchpad/dist/index.js');
  const use = `const { openScratchpad } = await import(${JSON.stringify(library)});
    console.log(await (await openScratchpad()).notes.read());`;
  must('the library reads it', run(work, process.execPath, '--input-type=module', '-e', use) === 'kept');
}

/** The section of this version, or else what is not released yet. */
function notesOf(changes: string): string {
  const sections = changes.split(/^(?=## )/m).slice(1);
  const named = sections.find(
    (section) => section.startsWith(`## ${version}`) || section.startsWith(`## [${version}]`),
  );
  const section = named ?? sections.find((each) => /^## \[?Unreleased/.test(each));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return `# scratchpad ${version}\n${section.replace(/^## .*\n/, '')}`;
}

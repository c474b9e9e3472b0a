import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testDir } from './test-dir.ts';

/** As crontab(1) of Debian answers, over a file of the test's. */
const CRONTAB = `
case "$1" in
  -l) [ -e "$STANDS/crontab" ] || { echo "no crontab for me" >&2; exit 1; }; cat "$STANDS/crontab" ;;
  -r) rm "$STANDS/crontab" ;;
  -) cat > "$STANDS/new"
     [ -z "$(tail -c1 "$STANDS/new")" ] || { echo "new crontab file is missing newline before EOF" >&2; exit 1; }
     mv "$STANDS/new" "$STANDS/crontab" ;;
esac`;

/** As the gateway of OpenClaw 2026.9.6 answers, as far as it was asked. */
const OPENCLAW = `
node -e '
const { readFileSync, writeFileSync } = require("node:fs");
const [file, , verb, id] = process.argv.slice(1);
let jobs = JSON.parse(readFileSync(file, "utf8"));
if (verb === "rm") jobs = jobs.filter((job) => job.id !== id);
writeFileSync(file, JSON.stringify(jobs));
if (verb === "list") console.log(JSON.stringify({ jobs, total: jobs.length }));
' "$STANDS/automations.json" "$@"`;

/** Stand-ins for programs that change the machine: each call is noted, and can be made to fail. */
export class StandIns {
  readonly dir = testDir();
  readonly env: Record<string, string>;

  constructor(home: string) {
    const bin = testDir();
    for (const [name, body] of [
      ['crontab', CRONTAB],
      ['openclaw', OPENCLAW],
    ] as const) {
      const path = join(bin, name);
      const script = [
        '#!/bin/sh',
        `echo "${name} $*" >> "$STANDS/calls"`,
        'case " $* " in *" $(cat "$STANDS/fails" 2>/dev/null || echo none) "*) echo "cannot do that" >&2; exit 1 ;; esac',
        body,
      ].join('\n');
      writeFileSync(path, `${script}\n`);
      chmodSync(path, 0o755);
    }
    const PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;
    this.env = { PATH, STANDS: this.dir, HOME: home, XDG_CONFIG_HOME: '' };
  }

  /** The calls so far, each as one line; forgotten when told. */
  calls(): string[] {
    const path = join(this.dir, 'calls');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
    writeFileSync(path, '');
    return lines;
  }

  /** From now on every call with this word fails. */
  fail(word: string): void {
    writeFileSync(join(this.dir, 'fails'), word);
  }

  get crontab(): string | undefined {
    const path = join(this.dir, 'crontab');
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  set crontab(text: string) {
    writeFileSync(join(this.dir, 'crontab'), text);
  }

  get automations(): { declarationKey: string }[] {
    return JSON.parse(readFileSync(join(this.dir, 'automations.json'), 'utf8')) as StandIns['automations'];
  }

  set automations(keys: string[]) {
    const jobs = keys.map((declarationKey, k) => ({ id: `j${k}`, declarationKey }));
    writeFileSync(join(this.dir, 'automations.json'), JSON.stringify(jobs));
  }
}

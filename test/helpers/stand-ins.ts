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
file="$STANDS/automations.json"
node -e '
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const [file, , verb, ...args] = process.argv.slice(1);
let jobs = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [{ id: "h", declarationKey: "heartbeat:main" }];
const at = (name) => { const k = args.indexOf(name); return k < 0 ? undefined : args[k + 1]; };
if (verb === "create") {
  const declarationKey = at("--declaration-key");
  const env = args.flatMap((arg, k) => (args[k - 1] === "--command-env" ? [[arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]] : []));
  const schedule = at("--cron") ? { kind: "cron", expr: at("--cron"), ...(at("--tz") && { tz: at("--tz") }) }
    : { kind: "every", everyMs: Number.parseInt(at("--every")) * 1000, anchorMs: 1 };
  const payload = { kind: "command", argv: JSON.parse(at("--command-argv")), cwd: at("--command-cwd"), ...(env.length && { env: Object.fromEntries(env) }) };
  jobs = [...jobs.filter((job) => job.declarationKey !== declarationKey),
    { id: "j" + jobs.length, declarationKey, name: at("--name"), description: at("--description"), enabled: true, schedule, payload }];
}
if (verb === "rm") jobs = jobs.filter(({ id }) => id !== args[0]);
writeFileSync(file, JSON.stringify(jobs));
if (verb === "list") console.log(JSON.stringify({ jobs, total: jobs.length }));
' "$file" "$@"`;

/** Stand-ins for programs that change the machine: each call is noted, and can be made to fail. */
export class StandIns {
  readonly dir = testDir();
  readonly env: Record<string, string>;

  constructor(home: string) {
    const bin = testDir();
    for (const [name, body] of [
      ['crontab', CRONTAB],
      ['openclaw', OPENCLAW],
      ['systemctl', ''],
      ['launchctl', ''],
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

  get automations(): {
    declarationKey: string;
    schedule: object;
    payload: { argv: string[]; cwd: string };
  }[] {
    return JSON.parse(readFileSync(join(this.dir, 'automations.json'), 'utf8')) as StandIns['automations'];
  }
}

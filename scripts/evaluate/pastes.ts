/**
 * Neutral messages with the output of programs pasted below, between or above them, in the forms in which people
 * paste it. Written for this project.
 */

const ASKS = [
  'Can you take a look at this?',
  'here is the output',
  'what does this mean?',
  'please check the log below',
  'this is what I get when I run it',
  'result of the second run:',
  'see below',
  'Could you explain the third line?',
  'add handling for this case',
  'the CI job printed this',
  'is this related to the change from yesterday?',
  'summarise this for the ticket',
  'apply this to the release branch',
  'what changed between these two?',
  'which file should I open?',
  'For reference:',
  'let me know which of these are safe to skip',
  'ok, next one',
];

const PASTES = [
  `2026-02-03 10:14:22,118 ERROR [main] c.a.p.Worker - Job 4411 failed: java.lang.IllegalStateException: terrible state
2026-02-03 10:14:22,120 FATAL [main] c.a.p.Worker - giving up, killing worker
2026-02-03 10:14:23,001 WARN  [pool-2] c.a.p.Retry - attempt 3 failed, aborting`,
  `Traceback (most recent call last):
  File "/srv/app/main.py", line 88, in <module>
    run(argv)
  File "/srv/app/main.py", line 41, in run
    raise ValueError("bad input: you must never do this!")
ValueError: bad input: you must never do this!`,
  `TypeError: Cannot read properties of undefined (reading 'map')
    at Table.render (src/components/Table.tsx:41:19)
    at finishClassComponent (node_modules/react-dom/cjs/react-dom.development.js:17485:31)
    at updateClassComponent (node_modules/react-dom/cjs/react-dom.development.js:17435:24)`,
  `diff --git a/src/queue.ts b/src/queue.ts
index 91ab3c1..0c2f4d7 100644
--- a/src/queue.ts
+++ b/src/queue.ts
@@ -10,7 +10,7 @@ export function drain(queue: Queue) {
-  // this hack is horrible and stupid, kill it
+  // kill the dead workers first
-  return queue.destroy();
+  return queue.abort();
 }`,
  `npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! app@1.0.0 build: \`tsc -p .\`
npm ERR! Exit status 1
npm ERR! Failed at the app@1.0.0 build script.
npm ERR! This is probably not a problem with npm. There is likely additional logging output above.`,
  `error[E0382]: borrow of moved value: \`data\`
  --> src/main.rs:12:20
   |
9  |     let data = vec![1, 2, 3];
   |         ---- move occurs because \`data\` has type \`Vec<i32>\`
12 |     println!("{:?}", data);
   |                      ^^^^ value borrowed here after move
error: aborting due to previous error`,
  `FAIL src/auth.test.ts
  ● login › rejects a bad password

    expect(received).toBe(expected) // Object.is equality

    Expected: 401
    Received: 500

Tests:       1 failed, 14 passed, 15 total`,
  `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
	/tmp/sandbox/prog.go:9 +0x1d
exit status 2`,
  `{"level":"error","ts":"2026-02-03T09:00:01Z","msg":"connection refused","host":"db-1","retry":false}
{"level":"fatal","ts":"2026-02-03T09:00:02Z","msg":"unrecoverable failure, dying","host":"db-1"}`,
  `Feb  3 09:12:44 web-1 sshd[2211]: Failed password for invalid user admin from 10.0.0.7 port 51122 ssh2
Feb  3 09:12:46 web-1 kernel: Out of memory: Killed process 3321 (node) total-vm:4182312kB`,
  `Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
	at java.base/java.util.Arrays.copyOf(Arrays.java:3512)
	at com.acme.Loader.readAll(Loader.java:77)
Caused by: java.io.IOException: Broken pipe
	... 12 more`,
  `src/a.ts(14,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/b.ts(3,1): error TS6133: 'x' is declared but its value is never read.
Found 2 errors.`,
  `$ git push origin main
To github.com:acme/app.git
 ! [rejected]        main -> main (non-fast-forward)
error: failed to push some refs to 'github.com:acme/app.git'
hint: Updates were rejected because the tip of your current branch is behind
hint: its remote counterpart. Integrate the remote changes before pushing again.`,
  `=================================== FAILURES ===================================
_______________________________ test_total_is_sum _______________________________

    def test_total_is_sum():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_total.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_total.py::test_total_is_sum - assert 3 == 4`,
  `NAME                     READY   STATUS             RESTARTS   AGE
api-6d9c7b5f4-abcde      0/1     CrashLoopBackOff   12         41m
worker-7f8d9c6b5-fghij   0/1     ImagePullBackOff   0          41m
db-0                     1/1     Running            0          3d`,
  `gcc -O2 -Wall -c bad.c
bad.c: In function 'main':
bad.c:7:5: warning: implicit declaration of function 'destroy' [-Wimplicit-function-declaration]
bad.c:9:12: error: expected ';' before '}' token
make: *** [Makefile:4: bad.o] Error 1`,
  `const kill = async (id: string) => {
  const victim = await find(id);
  if (!victim) throw new Error('no such victim, you idiot');
  await victim.destroy({ force: true });
};`,
  `SELECT u.id, COUNT(*) AS failures
FROM users u JOIN login_attempts a ON a.user_id = u.id
WHERE a.failed = true
GROUP BY u.id HAVING COUNT(*) > 5;`,
  `Error: ENOENT: no such file or directory, open '/etc/app/config.json'
    at Object.openSync (node:fs:601:3)
    at Object.readFileSync (node:fs:469:35) {
  errno: -2,
  code: 'ENOENT'
}`,
  `thread 'main' panicked at 'called \`Result::unwrap()\` on an \`Err\` value: Os { code: 2, kind: NotFound }', src/main.rs:4:37
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
stack backtrace:
   0: rust_begin_unwind
   1: core::panicking::panic_fmt`,
  `[14:02:11] INFO  starting deployment of release 41
[14:02:19] ERROR health check failed (3/3), rolling back
[14:02:20] ERROR rollback failed: previous image was deleted
Deployment failed. Please contact your administrator!`,
  `@@ -1,5 +1,6 @@
 import sys
-print("this is awful")
+print("this is worse")
+sys.exit("fatal: you broke it")`,
];

/** A neutral message and the same with something pasted into it. */
export interface PastedCase {
  plain: string;
  text: string;
  /** Which paste, 0 to 21. */
  paste: number;
}

/** Every request with every paste, below, above, fenced or run together. */
export function pastedCases(): PastedCase[] {
  const cases: PastedCase[] = [];
  ASKS.forEach((ask, a) => {
    PASTES.forEach((paste, p) => {
      const texts = [
        `${ask}\n\n${paste}`,
        `${ask}\n${paste}`,
        `${paste}\n\n${ask}`,
        `${ask}\n\`\`\`\n${paste}\n\`\`\`\nthanks`,
      ];
      cases.push({ plain: ask, text: texts[(a + p) % 4] ?? ask, paste: p });
      cases.push({ plain: ask, text: texts[(a + p + 1) % 4] ?? ask, paste: p });
    });
  });
  return cases;
}

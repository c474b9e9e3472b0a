/** How the output of a runner of tests, of a compiler or of a linter shows how it went. */
interface Runner {
  name: string;
  /** A line that counts what passed and what failed: its numbers decide. */
  totals?: RegExp;
  /** A line that says without numbers that the run failed, or that it passed. */
  failed?: RegExp;
  passed?: RegExp;
  /** The name of one failure. */
  failing?: RegExp;
}

/**
 * The runner's own words. Where two runners write the same line the first one has it; `suites` and `task runner` say
 * less than the others and are told only where nothing else is.
 */
export const RUNNERS: readonly Runner[] = [
  { name: 'suites', totals: /^\s*(?:Test Files {1,2}|Test Suites: +|Snapshots: +)\d/ },
  { name: 'vitest', totals: /^\s*(?:Tests|Errors) {2}\d+ \w/, failing: /^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$/ },
  { name: 'jest, pest', totals: /^\s*Tests: +\d+ .*(?:\btotal|assertions?\))$/, failing: /^\s*● (.+ › .+)$/ },
  {
    name: 'pytest',
    totals: /^(?:=+ )?\d+ (?:passed|failed|errors?|skipped|warnings?|xfailed|deselected)\b.* in \d[\d.]*s/,
    failing: /^(?:FAILED|ERROR) (\S+::\S.*?|\S+\.py\S*)(?: - .*)?$/,
  },
  {
    name: 'unittest',
    totals: /^FAILED \((?:failures|errors)=/,
    passed: /^OK(?: \(skipped=\d+\))?$/,
    failing: /^(?:ERROR|FAIL): (test\w* \([\w.]+\))/,
  },
  {
    name: 'go',
    failed: /^FAIL\t\S+(?! \[setup)\s|^FAIL$|^\s*--- FAIL: |^\{.*"Action":"fail"/,
    passed: /^ok {2}\t\S|^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|^PASS$|^\{.*"Action":"pass","Package"/,
    failing: /^(?:\s*--- FAIL: (\S+)|\{.*"Action":"fail".*"Test":"([^"]+)")/,
  },
  { name: 'gotestsum', totals: /^DONE \d+ tests?\b/ },
  {
    name: 'cargo',
    totals: /^test result: |^\s*Summary \[.*\d+ tests? run:/,
    failed: /^error: (?:could not compile|aborting due to)\b/,
    passed: /^\s*Finished (?:`|dev|release|test|\w+ \[)/,
    failing: /^test (\S+) \.\.\. FAILED$/,
  },
  { name: 'mocha, cypress', totals: /^\s*\d+ (?:passing|failing)\b/ },
  { name: 'node', totals: /^(?:ℹ|#) (?:pass|fail) +\d+$/ },
  { name: 'bun', totals: /^\s*\d+ (?:pass|fail)$/, failing: /^\(fail\) (.+)$/ },
  { name: 'deno', totals: /^(?:ok|FAILED) \| \d+ passed/, failing: /^(.+?) => \.?\.?\/\S+:\d+:\d+$/ },
  {
    name: 'playwright',
    totals: /^\s+\d+ (?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$/,
    failing: /^\s*\d+\) (?:\[[\w -]+\] › )?(\S+:\d+:\d+ › .+?)(?: ─+)?$/,
  },
  {
    name: 'ava',
    totals: /^\s*\d+ tests? (?:passed|failed)$/,
    failing: /^\s*✘ \[fail\]: (.+?)(?: Error thrown.*)?$/,
  },
  { name: 'rspec', totals: /^\d+ examples?, \d+ failures?/, failing: /^rspec \S+ # (.+)$/ },
  { name: 'minitest', totals: /^\d+ (?:runs|tests), \d+ assertions, / },
  {
    name: 'mix, bats',
    totals: /^(?:\d+ \w+, )?\d+ tests?, \d+ fail/,
    failing: /^\s*\d+\) (test .+ \([\w.]+\))$/,
  },
  {
    name: 'phpunit',
    totals: /^Tests: \d+, Assertions: /,
    failed: /^(?:FAILURES|ERRORS)!$/,
    passed: /^OK \(\d+ tests?,/,
    failing: /^\d+\) (\w[\w\\]*::\w+.*)$/,
  },
  {
    name: 'dotnet',
    totals: /^\s*(?:Failed!|Passed!) +- Failed: |^Test summary: total: |^\s*\d+ Error\(s\)$/,
    failed: /^Build FAILED\.$/,
    passed: /^Build succeeded\b/,
    failing: /^\s+Failed ([\w.]+(?:\(.*\))?) \[/,
  },
  {
    name: 'maven, gradle',
    totals: /^(?:\[\w+\] +)?Tests run: \d+, Failures: |^\d+ tests completed, /,
    failed: /^(?:\[ERROR\] +)?BUILD FAIL/,
    passed: /^(?:\[INFO\] +)?BUILD SUCCESS/,
    failing: /^(?:\[ERROR\] +([\w.$]+[.#]\w+)(?::\d+| -- Time| +Time)|([\w.$]+ > .+) FAILED$)/,
  },
  { name: 'ctest', totals: /^\d+% tests passed, /, failing: /^\s*\d+ - (\S+) \((?:Failed|Timeout)\)/ },
  {
    name: 'swift',
    totals: /^\s*Executed \d+ tests?, /,
    failed: /^\*\* \w+ FAILED \*/,
    passed: /^\*\* \w+ SUCCEEDED \*/,
  },
  { name: 'dart', failed: /Some tests failed\.$/, passed: /^All tests passed!?$|: All tests passed!$/ },
  { name: 'sbt', totals: /^\[\w+\] Tests: succeeded \d+, failed \d+/ },
  { name: 'eslint, stylelint', totals: /^✖ \d+ problems? \(/ },
  {
    name: 'tsc, biome, mypy, ruff',
    totals: /^Found \d+ (?:errors?|warnings? and \d+ errors?|diagnostics?)\b/,
  },
  { name: 'biome', passed: /^Checked \d+ files? in / },
  { name: 'pyright', totals: /^\d+ errors?, \d+ warnings?/ },
  { name: 'golangci-lint', totals: /^\d+ issues[.:]/ },
  { name: 'rubocop', totals: /^\d+ files? inspected, (?:\d+|no) offenses?/ },
  { name: 'ruff, mypy', passed: /^(?:All checks passed|(?:Success: )?no issues found)/i },
  { name: 'prettier', passed: /^All matched files use Prettier/, failed: /Code style issues (?:found )?in / },
  {
    name: 'builders',
    totals: /^webpack .*compiled with \d+ errors?/,
    failed: /^(?:Failed to compile|error during build|Build failed)\b/,
    passed: /^\s*[✓✔] built in |^\s*(?:✓ )?Compiled successfully|^webpack .*compiled successfully/,
  },
  { name: 'task runner', failed: /^npm (?:ERR!|error) |\bELIFECYCLE\b|^make(?:\[\d+\])?: \*\*\* / },
  { name: 'task runner', failed: /\bERROR task failed|^error: Recipe `.*` failed|^ERROR: .* exited \(\d+\)/ },
];

import { invoke } from './commands/invocation.ts';
import { directCall } from './direct.ts';
import { tellFailure } from './failure.ts';

/** Runs the program and returns its exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  const call = directCall(argv);
  if (!call) return (await import('./cli.ts')).main(argv, env, cwd);
  try {
    const invocation = invoke(call.options, env, cwd);
    const body = await call.load();
    await body(invocation, ...call.args, {});
    return invocation.exitCode;
  } catch (error) {
    return tellFailure(error, env);
  }
}

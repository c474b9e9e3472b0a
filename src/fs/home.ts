/**
 * The person's home directory. If the environment does not tell, the system is asked, through a module that
 * few runs need.
 */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
}

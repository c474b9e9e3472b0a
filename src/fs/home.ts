/** The home directory of the person. The system is asked, by a module that few runs need, where the environment is silent. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
}

/** Help text below the options: commands as a person would type them. An example may have several lines. */
export function examples(...commands: string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${command.replaceAll('\n', '\n    ')}`).join('\n')}`;
}

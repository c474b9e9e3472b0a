/** Help text below the options: what a person would type. An example may have several lines. */
export function examples(...commands: string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${command.replaceAll('\n', '\n    ')}`).join('\n')}`;
}

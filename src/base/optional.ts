/** Options that may be left out, or be undefined, as programs under `exactOptionalPropertyTypes` pass them on. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

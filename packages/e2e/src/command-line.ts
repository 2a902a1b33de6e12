// What the commands of this package have in common.

/**
 * The value of an option.
 * @throws Error that names the option
 */
export function whole(name: string, text: string | undefined, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`--${name} is a whole number from ${String(least)} on`);
}

/** Runs a command, and ends the process with its code; 1 after an error, which is printed. */
export function runMain(main: () => Promise<number>): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}

/** Reading the command lines of benchmarks. */

/** @throws RangeError that names the option */
export function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(
    `${name}: a whole number from ${String(least)} to ${String(most)}, not ${JSON.stringify(text)}`,
  );
}

/** Prints a mistake of the command line as a sentence, and anything else as what it is. */
export function fail(error: unknown): void {
  console.error(isArgumentError(error) ? error.message : error);
  process.exitCode = 1;
}

function isArgumentError(error: unknown): error is Error {
  if (error instanceof RangeError) return true;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}

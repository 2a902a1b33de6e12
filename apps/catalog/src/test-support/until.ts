const DEADLINE_MS = 20_000;
const PAUSE_MS = 5;

/** Polls until the condition holds, or fails the test. */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  what = 'it',
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const givenUpAt = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > givenUpAt)
      throw new Error(`${what} did not happen in ${deadlineMs} ms`);
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS);
    });
  }
}

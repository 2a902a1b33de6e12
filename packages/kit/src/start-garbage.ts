/**
 * Collects what a start has left, and gives its pages back to the system: V8 keeps them for a process that
 * makes little garbage, and so does not collect by itself. Takes some 50 ms, so call it at the end of the start.
 * Without the inspector of Node nothing is collected, and a warning says so.
 */
export async function collectStartGarbage(): Promise<void> {
  try {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    try {
      await session.post('HeapProfiler.collectGarbage');
    } finally {
      session.disconnect();
    }
  } catch (error) {
    process.emitWarning(`the garbage of the start was not collected: ${String(error)}`);
  }
}

/** Waits for the duration of a fault. No test draws a conclusion from the time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Next calls this once, before the first request: a console with a wrong environment never serves. */
export async function register(): Promise<void> {
  // Next puts the name of the runtime here, and leaves out of the other one what is behind it.
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { start } = await import('./server/start');
  start();
}

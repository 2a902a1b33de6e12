/**
 * Next calls this once before the first request. A console with an invalid environment never
 * serves.
 */
export async function register(): Promise<void> {
  // Next inlines the runtime's name and drops the other branch from the bundle.
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { start } = await import('./server/start');
  start();
}

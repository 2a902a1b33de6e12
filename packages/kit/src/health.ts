import { withDeadline } from './deadline';

export type HealthCheck = () => Promise<void>;

export interface HealthResult {
  ok: boolean;
  message?: string;
  latencyMs: number;
}

export interface HealthReport {
  ok: boolean;
  checks: Record<string, HealthResult>;
}

// Runs all dependency checks concurrently with the same deadline. A check passes by resolving; the
// message of its error is shown, so checks throw sentences without secrets.
export async function healthChecks(
  checks: Record<string, HealthCheck>,
  options: { timeoutMs: number },
): Promise<HealthReport> {
  const named = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await ask(name, check, options.timeoutMs)] as const,
    ),
  );
  return { ok: named.every(([, result]) => result.ok), checks: Object.fromEntries(named) };
}

async function ask(name: string, check: HealthCheck, timeoutMs: number): Promise<HealthResult> {
  const startedMs = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - startedMs);
  try {
    await withDeadline(start(check), timeoutMs, name);
    return { ok: true, latencyMs: latencyMs() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message, latencyMs: latencyMs() };
  }
}

// Turns a synchronous throw into a rejection.
async function start(check: HealthCheck): Promise<void> {
  await check();
}

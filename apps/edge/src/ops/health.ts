import type { HealthReply__Output } from '@tollgate/contracts/node';
import type { PolicyStatus } from '../policy';

type Check = { ok: boolean; message?: string };

export type Readiness = { status: 'ok' | 'unavailable'; checks: Record<string, Check> };

/** What readers of the two scopes call policy's dependencies. */
const CHECK_NAMES: Readonly<Record<string, string>> = { redis: 'cache', postgres: 'database' };

/** Everything the gateway needs, the database and the cache by name, as policy sees them. */
export async function readiness(
  health: () => Promise<HealthReply__Output>,
  status: PolicyStatus,
): Promise<Readiness> {
  const checks: Record<string, Check> = {
    database: { ok: false, message: 'not known: policy is away' },
    cache: { ok: false, message: 'not known: policy is away' },
    ...ownChecks(status),
  };
  try {
    const { serving, dependencies } = await health();
    delete checks['database'];
    delete checks['cache'];
    for (const { name, ok, message } of dependencies) {
      checks[CHECK_NAMES[name] ?? name] = message === '' ? { ok } : { ok, message };
    }
    checks['policy'] = { ok: serving };
  } catch (error) {
    checks['policy'] = { ok: false, message: error instanceof Error ? error.message : 'away' };
  }
  return summary(checks);
}

/** Only whether this edge can serve: other edges do no better when a shared dependency is away. */
export function serving(status: PolicyStatus): Readiness {
  return summary(ownChecks(status));
}

function ownChecks(status: PolicyStatus): Record<string, Check> {
  return {
    sessions: { ok: status.sessionsOpen > 0 },
    settles: { ok: !status.settlesFull },
    // An edge that sheds load is well: without it the others would have more to do.
    admission: { ok: true, ...queueMessage(status) },
  };
}

function queueMessage({ waiting, inFlight, inFlightLimit }: PolicyStatus): Pick<Check, 'message'> {
  if (waiting === 0) return {};
  return { message: `${waiting} requests wait, ${inFlight} of ${inFlightLimit} are being decided` };
}

function summary(checks: Record<string, Check>): Readiness {
  const ok = Object.values(checks).every((check) => check.ok);
  return { status: ok ? 'ok' : 'unavailable', checks };
}

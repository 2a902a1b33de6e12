import { PATIENT, PATIENT_WITH_FLOATS } from '../gateway/gateway';

/** Short, so that the holds of a crashed edge end within seconds. */
export const LEASE_MS = 10_000;

export interface WorldOptions {
  /** With long deadlines, for a busy machine. */
  readonly patient: boolean;
  /** Policies decide from floats. */
  readonly floats: boolean;
  /** The built folder of the release before. */
  readonly previous?: string | undefined;
}

export function policyEnv({ patient, floats }: WorldOptions): Record<string, string> {
  const patience = floats ? PATIENT_WITH_FLOATS : PATIENT['policy'];
  return {
    ...(patient ? patience : {}),
    ...(floats ? { FLOATS: 'on', FLOATS_FROM_RPS: '0' } : { FLOATS: 'off' }),
    LEASE_MS: String(LEASE_MS),
    SWEEP_INTERVAL_MS: '200',
    UPSTREAM_BREAKER_WINDOW_MS: '2000',
    UPSTREAM_BREAKER_OPEN_MS: '1000',
    UPSTREAM_PROBE_MS: '5000',
  };
}

export function edgeEnv(patient: boolean): Record<string, string> {
  return patient ? { ...PATIENT['edge'] } : {};
}

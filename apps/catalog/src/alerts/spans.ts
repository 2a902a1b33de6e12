import { BUDGET_PERIODS, windowAt } from '@tollgate/contracts';
import type { Pool } from 'pg';
import { z } from 'zod';

/** The windows that rules look at now, for each time zone with rules. */

export interface Spans {
  /** Columns of one table, in the same order: zone, `HOUR`, `DAY` or a period, start and end. */
  readonly zones: readonly string[];
  readonly names: readonly string[];
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  /** Instants inside windows of a fixed number of seconds. */
  readonly instants: readonly string[];
}

/**
 * Requests are booked, and refusals reported, some seconds after they happen, so a window is looked
 * at for this long after its end.
 */
const AFTER_END_MS = 300_000;
/** Ledger rules, which have no organisation, use this zone. */
export const PLATFORM_ZONE = 'UTC';

const zones = z.array(z.object({ zone: z.string() }));

/** The zones of organisations with active rules. */
export async function zonesWithRules(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT DISTINCT o.time_zone AS zone FROM alert_rule r
       JOIN organisation o ON o.id = r.organisation_id AND o.status = 'ACTIVE'
      WHERE r.status = 'ACTIVE'`,
  );
  return [...new Set([...zones.parse(rows).map(({ zone }) => zone), PLATFORM_ZONE])];
}

export function spansAt(timeZones: readonly string[], nowMs: number): Spans {
  const table = new Map<string, [string, string, string, string]>();
  const instants = [nowMs, nowMs - AFTER_END_MS];
  for (const zone of timeZones) {
    for (const instantMs of instants) {
      for (const [name, spec] of SPECS) {
        const { startMs, endMs } = windowAt(spec, instantMs, zone);
        table.set(`${zone} ${name} ${startMs}`, [zone, name, iso(startMs), iso(endMs)]);
      }
    }
  }
  const rows = [...table.values()];
  return {
    zones: rows.map(([zone]) => zone),
    names: rows.map(([, name]) => name),
    starts: rows.map(([, , start]) => start),
    ends: rows.map(([, , , end]) => end),
    instants: instants.map(iso),
  };
}

const SPECS = [
  ['HOUR', { windowSeconds: 3_600 }],
  ['DAY', { period: 'DAILY' }],
  ...BUDGET_PERIODS.map((period) => [period, { period }] as const),
] as const;

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

import { parseKeyRing } from '@tollgate/contracts/node';
import type { Clock, Logger, Metrics } from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';

import { startAlerts } from '../alerts';
import { addressRulesOf, type Config } from '../config';
import { createSmtp, startMail, type SendMail } from '../mail';
import type { Database } from '../schema';

/** Background work that the mail server and the settings decide about. */

export type Undo = () => Promise<void>;

export interface Parts {
  config: Config;
  database: Database;
  metrics: Metrics;
  tracing?: Tracing | undefined;
  log: Logger;
  clock: Clock;
}

/** Undefined without a mail server. */
export function mailServerOf({ SMTP_URL: url, MAIL_FROM: from }: Config): SendMail | undefined {
  if (url === undefined) return undefined;
  if (from === undefined) throw new Error('MAIL_FROM is needed with SMTP_URL');
  return createSmtp({ url, from });
}

/** Without a mail server nothing is delivered, and links are shown instead. */
export function startDelivery(
  { config, database, metrics, log, clock }: Parts,
  send: SendMail | undefined,
): { stop: Undo } {
  if (send === undefined) return { stop: () => Promise.resolve() };
  const ring = parseKeyRing(config.KEY_ENCRYPTION_KEYS);
  return startMail({ pool: database.pool, ring, send, log, clock, metrics });
}

/** The largest of the added numbers since the last call of `take`. */
export function createPeak(): { add: (value: number) => void; take: () => number } {
  let peak = 0;
  return {
    add: (value) => {
      peak = Math.max(peak, value);
    },
    take: () => {
      const taken = peak;
      peak = 0;
      return taken;
    },
  };
}

export function startAlerting(
  { config, database, metrics, log, clock }: Parts,
  given: { sendMail: SendMail | undefined; ledgerLagSeconds: () => number },
): { stop: Undo } {
  return startAlerts({
    pool: database.pool,
    ring: parseKeyRing(config.KEY_ENCRYPTION_KEYS),
    log,
    clock,
    metrics,
    addressRules: addressRulesOf(config),
    consoleUrl: config.PUBLIC_CONSOLE_URL.replace(/\/+$/, ''),
    intervalMs: config.ALERT_INTERVAL_SECONDS * 1000,
    ...given,
  });
}

import {
  callerRole,
  DirectoryDefinition,
  GRPC_CALLERS,
  LedgerDefinition,
  parseKeyRing,
} from '@tollgate/contracts/node';
import {
  createLogger,
  createMetrics,
  grpcTls,
  healthChecks,
  listenHttp,
  listenOps,
  ownToken,
  parseTokens,
  serveGrpc,
  systemClock,
  tokensOf,
  type Clock,
  type GrpcServer,
  type Logger,
  type Metrics,
  type OpsReport,
} from '@tollgate/kit';
import { GENERAL_SCOPE, openTracing } from '@tollgate/kit/tracing';
import express, { type Express } from 'express';

import { bootstrapAdmin, createPasswords, parseSigningSecrets, readSsoSettings } from '../auth';
import { createKeepBodies } from '../bodies';
import { addressRulesOf, type Config } from '../config';
import { isDatabaseAway } from '../db';
import { createDirectoryService } from '../directory';
import { alignTransactionCounter, noteRemovedRows } from '../exports';
import {
  createLedgerService,
  enforceRetention,
  removeValueWindows,
  startRerating,
} from '../ledger';
import type { SendMail } from '../mail';
import { createOutboxWake, type OutboxWake } from '../outbox';
import type { RunnerAccess } from '../resources/mcp-servers/connection-test';
import { migrateUp, openDatabase, startHousekeeping, type Database } from '../schema';
import {
  createPeak,
  mailServerOf,
  startAlerting,
  startDelivery,
  type Parts,
  type Undo,
} from './background';
import { createHealth, createRestApp } from './create-rest-app';
import { withDatabaseGauges } from './database-gauges';
import { startRecordExport } from './record-export';

export interface CatalogDeps {
  log?: Logger;
  clock?: Clock;
}

export interface Catalog {
  port: number;
  grpcPort: number;
  url: string;
  /** The URL of the operators' port. */
  opsUrl: string;
  /** Waits for running calls, then closes the database. */
  stop(): Promise<void>;
}

const DRAIN_MS = 5_000;
const OPS_DRAIN_MS = 1_000;
const HEALTH_TIMEOUT_MS = 1_500;
/** A batch of 500 ledger entries, each with many attempts. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** How long to wait for a database that is still starting. */
const DATABASE_WAIT_MS = 60_000;
const DATABASE_RETRY_MS = 500;

/** Creates and starts the service: schema, background work, REST, Directory and Ledger. */
export async function startCatalog(config: Config, deps: CatalogDeps = {}): Promise<Catalog> {
  const log = deps.log ?? createLogger({ service: 'catalog', level: config.LOG_LEVEL });
  const clock = deps.clock ?? systemClock;
  const metrics = createMetrics({ service: 'catalog' });
  const undo: Undo[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  try {
    const database = await prepareDatabase(config, log);
    undo.push(() => database.close());
    const scope = { service: 'tollgate-catalog', scope: GENERAL_SCOPE };
    const tracing = openTracing(config, { ...scope, log, metrics });
    undo.push(async () => tracing?.stop());
    await alignTransactionCounter(database.pool, log);
    await bootstrap(config, database, log);
    const house = await startHousekeeping({
      pool: database.pool,
      log,
      clock,
      retention: async (pool, at) => {
        const removal = await enforceRetention(pool, at, { beforeRemoval: noteRemovedRows });
        await removeValueWindows(pool, at);
        return removal;
      },
    });
    undo.push(() => house.stop());
    const rerating = startRerating({ pool: database.pool, log });
    undo.push(() => rerating.stop());
    const parts = { config, database, metrics, tracing, log, clock };
    const sendMail = mailServerOf(config);
    const mail = startDelivery(parts, sendMail);
    undo.push(() => mail.stop());
    const exports = startRecordExport({ config, database, metrics, log, clock });
    undo.push(() => exports.stop());
    const lag = createPeak();
    const alerts = startAlerting(parts, { sendMail, ledgerLagSeconds: lag.take });
    undo.push(() => alerts.stop());
    const wake = createOutboxWake({ url: config.DATABASE_URL, log });
    undo.push(() => wake.close());

    const grpc = await listenGrpc({ ...parts, wake, onLag: lag.add });
    undo.push(() => grpc.close({ drainMs: DRAIN_MS }));
    const exposed = withDatabaseGauges({ config, database, metrics, log, clock });
    const http = await listenHttp(createHttpApp(parts, exposed, sendMail), {
      host: config.HOST,
      port: config.CATALOG_PORT,
    });
    undo.push(() => http.close({ drainMs: DRAIN_MS }));
    const ops = await listenOps({
      host: config.HOST,
      port: config.CATALOG_OPS_PORT,
      metrics: exposed,
      ready: () => databaseHealth(database),
      health: () => databaseHealth(database),
      log,
    });
    undo.push(() => ops.close({ drainMs: OPS_DRAIN_MS }));
    log.info('catalog listens', { url: http.url, opsUrl: ops.url, grpcPort: grpc.port });
    return { port: http.port, grpcPort: grpc.port, url: http.url, opsUrl: ops.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareDatabase(config: Config, log: Logger): Promise<Database> {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = config;
  if (config.RUN_MIGRATIONS) {
    const ran = await retryWhileAway(log, () => migrateUp(url));
    if (ran.length > 0) log.info('schema migrated', { migrations: ran });
  }
  const onError = (error: Error): void => {
    log.warn('idle database connection broke', { error });
  };
  return retryWhileAway(log, () => openDatabase({ url, poolSize, onError }));
}

/** Retries while the database is not available, because services may start before it. */
async function retryWhileAway<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  const givenUpAt = performance.now() + DATABASE_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > givenUpAt) throw error;
      log.warn('database not reachable yet, retrying', { error });
      await new Promise((resolve) => {
        setTimeout(resolve, DATABASE_RETRY_MS);
      });
    }
  }
}

async function bootstrap(config: Config, { orm }: Database, log: Logger): Promise<void> {
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = config;
  if (email === undefined && password === undefined) return;
  if (email === undefined || password === undefined) {
    throw new Error('BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD must be set together');
  }
  const made = await bootstrapAdmin({ orm, passwords: createPasswords() }, { email, password });
  if (made) log.info('first super admin created');
}

function listenGrpc(
  parts: Parts & { wake: OutboxWake; onLag: (seconds: number) => void },
): Promise<GrpcServer> {
  const { config, database, wake, metrics, tracing, log, clock, onLag } = parts;
  const { pool } = database;
  const bodiesAllowed = config.BODIES_ALLOWED;
  const keepBodies = createKeepBodies({
    pool,
    clock,
    keyRing: parseKeyRing(config.KEY_ENCRYPTION_KEYS),
    allowed: bodiesAllowed,
    dayBytes: config.BODIES_DAY_BYTES,
  });
  return serveGrpc({
    host: config.HOST,
    port: config.CATALOG_GRPC_PORT,
    services: [
      {
        definition: DirectoryDefinition,
        implementation: createDirectoryService({ pool, wake, metrics, clock, bodiesAllowed }),
      },
      {
        definition: LedgerDefinition,
        implementation: createLedgerService({
          pool,
          keepBodies,
          log,
          metrics,
          tracing,
          clock,
          onLag,
          decisionsPerDay: config.DECISIONS_KEPT_PER_DAY,
        }),
      },
    ],
    tokens: parseTokens(config.INTERNAL_TOKENS),
    callers: GRPC_CALLERS,
    roleOf: callerRole,
    health: { serving: async () => (await createHealth(database)()).ok },
    tls: grpcTls(config),
    limits: { maxRequestBytes: MAX_REQUEST_BYTES },
    log,
    metrics,
  });
}

async function databaseHealth({ orm }: Database): Promise<OpsReport> {
  const body = await healthChecks(
    { database: async () => void (await orm.query('SELECT 1')) },
    { timeoutMs: HEALTH_TIMEOUT_MS },
  );
  return { ok: body.ok, body };
}

function createHttpApp(
  { config, database, metrics, tracing, log, clock }: Parts,
  exposed: Pick<Metrics, 'exposition'>,
  sendMail: SendMail | undefined,
): Express {
  const requests = metrics.histogram(
    'tollgate_rest_request_seconds',
    'Time to answer a REST request.',
    ['operation', 'status'],
  );
  const app = express();
  app.disable('x-powered-by');
  if (config.METRICS_ENABLED) {
    app.get('/metrics', async (request, response) => {
      const { contentType, text } = await exposed.exposition(request.headers.accept);
      response.type(contentType).send(text);
    });
  }
  app.use(
    createRestApp({
      orm: database.orm,
      pool: database.pool,
      log,
      tracing,
      clock,
      keyRing: parseKeyRing(config.KEY_ENCRYPTION_KEYS),
      jwtSecrets: parseSigningSecrets(config.JWT_SECRET),
      addressRules: addressRulesOf(config),
      ambient: {
        organisations: config.AMBIENT_IDENTITY_ORGANISATIONS,
        hosts: config.AMBIENT_IDENTITY_HOSTS,
      },
      runner: runnerOf(config),
      corsOrigins: config.CONSOLE_ORIGINS,
      trustedProxies: config.TRUSTED_PROXIES,
      consoleTokens: tokensOf(parseTokens(config.INTERNAL_TOKENS), 'admin'),
      consoleUrl: config.PUBLIC_CONSOLE_URL,
      mail: sendMail !== undefined,
      bodiesAllowed: config.BODIES_ALLOWED,
      sendMail,
      sso: readSsoSettings(config),
      onFinished: ({ operation, status, durationMs }) => {
        requests.observe({ operation, status: String(status) }, durationMs / 1000);
      },
    }),
  );
  return app;
}

function runnerOf(config: Config): RunnerAccess | undefined {
  if (config.RUNNER_URL === undefined) return undefined;
  return { url: config.RUNNER_URL, token: ownToken('catalog', config) };
}

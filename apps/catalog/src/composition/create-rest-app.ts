import { rest } from '@tollgate/contracts';
import type { AddressRules, KeyRing } from '@tollgate/contracts/node';
import {
  healthChecks,
  systemClock,
  type Clock,
  type HealthCheck,
  type HealthReport,
  type Logger,
} from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';
import { createSandbox, type Sandbox } from '@tollgate/sandbox';
import type { Express } from 'express';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

import type { DeliveryDeps } from '../alerts';
import {
  createAccessTokens,
  createAuthenticate,
  createAuthRoutes,
  createPasswordResetRoutes,
  createPasswords,
  createSsoRoutes,
  type Passwords,
  type SigningSecrets,
  type SsoSettings,
} from '../auth';
import type { SendMail } from '../mail';
import { createAlertRoutes } from '../resources/alerts/alerts.routes';
import { apiKeyRoutes } from '../resources/apikeys/api-keys.routes';
import { createDryRunTicketRoutes } from '../resources/apikeys/dry-run-ticket';
import { auditEventRoutes } from '../resources/audit-events/audit-events.routes';
import { budgetRoutes } from '../resources/budgets/budgets.routes';
import { experimentRoutes } from '../resources/experiments/experiments.routes';
import { createExportDestinationRoutes } from '../resources/export-destinations/export-destinations.routes';
import { createInvitationRoutes } from '../resources/invitations/invitations.routes';
import { invoiceRoutes } from '../resources/invoices/invoices.routes';
import { createKeptBodyRoutes } from '../resources/kept-bodies/kept-bodies.routes';
import { ledgerRoutes } from '../resources/ledger/ledger.routes';
import { softLimitRoutes } from '../resources/limits/soft-limit-passes';
import type { RunnerAccess } from '../resources/mcp-servers/connection-test';
import { createMcpServerRoutes } from '../resources/mcp-servers/mcp-servers.routes';
import { mcpSignInRoutes } from '../resources/mcp-sign-in/mcp-sign-in.routes';
import { modelAliasRoutes } from '../resources/models/model-aliases.routes';
import { modelRoutes } from '../resources/models/models.routes';
import { createOrganisationRoutes } from '../resources/organisations/organisations.routes';
import { priceCorrectionRoutes } from '../resources/price-corrections/price-corrections.routes';
import type { AmbientRules } from '../resources/providers/cloud-checks';
import { createProviderRoutes } from '../resources/providers/providers.routes';
import { quotaRoutes } from '../resources/quotas/quotas.routes';
import { rateLimitRoutes } from '../resources/rate-limits/rate-limits.routes';
import { routingPolicyRoutes } from '../resources/routing-policies/routing-policies.routes';
import { screeningPolicyRoutes } from '../resources/screening-policies/screening-policies.routes';
import { createScreeningServiceRoutes } from '../resources/screening-services/screening-services.routes';
import { teamRoutes } from '../resources/teams/teams.routes';
import { usageViewRoutes } from '../resources/usage-views/usage-views.routes';
import { usageRoutes } from '../resources/usage/usage.routes';
import { createIdentityRoutes } from '../resources/users/identities.routes';
import { sessionRoutes } from '../resources/users/sessions.routes';
import { createUserRoutes } from '../resources/users/users.routes';
import { apiDocs } from '../rest/api-docs';
import { serveOpen, type Route } from '../rest/call';
import { createRestShell, type FinishedRequest } from '../rest/create-rest-shell';
import { createOriginOf } from '../rest/origin';

export interface RestDeps {
  readonly orm: DataSource;
  readonly pool: Pool;
  readonly log: Logger;
  /** Undefined: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly keyRing: KeyRing;
  /** Signs access tokens; at least 32 characters, the same on every replica. */
  readonly jwtSecrets: SigningSecrets;
  /** Private networks that provider base URLs may point into. */
  readonly addressRules: AddressRules;
  /** Who may use the gateway's own identity at a cloud; nobody by default. */
  readonly ambient?: AmbientRules;
  /** The runner of MCP servers without HTTP; none by default. */
  readonly runner?: RunnerAccess | undefined;
  /** Origins that may call from a browser; none by default. */
  readonly corsOrigins?: readonly string[];
  /** Proxies whose X-Forwarded-For and -Proto are trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  /** The console's service token: a caller that sends it may state the browser's address. */
  readonly consoleTokens?: readonly string[];
  /** Base URL of links in mail and of redirects. */
  readonly consoleUrl?: string;
  /** Whether mail is delivered; otherwise links are shown to the administrator who creates them. */
  readonly mail?: boolean;
  /** The mail server, for the test of an alert destination; absent without one. */
  readonly sendMail?: SendMail | undefined;
  /** Whether organisations may keep bodies of requests; default true. */
  readonly bodiesAllowed?: boolean;
  readonly sso?: SsoSettings | undefined;
  readonly clock?: Clock;
  readonly passwords?: Passwords;
  /** In addition to the database check. */
  /** Runs code of screening services; absent: one of its own. */
  readonly sandbox?: Sandbox;
  readonly checks?: Record<string, HealthCheck>;
  readonly onFinished?: (finished: FinishedRequest) => void;
}

const NO_AMBIENT: AmbientRules = { organisations: [], hosts: [] };
const HEALTH_TIMEOUT_MS = 2_000;
const DEFAULT_CONSOLE_URL = 'http://localhost:3000';

/** The management API as an Express app. Opens and closes nothing itself. */
export function createRestApp(deps: RestDeps): Express {
  const { orm, keyRing, addressRules } = deps;
  const clock = deps.clock ?? systemClock;
  const passwords = deps.passwords ?? createPasswords();
  const accessTokens = createAccessTokens(deps.jwtSecrets, clock);
  const { bodiesAllowed = true, log, jwtSecrets, mail = false } = deps;
  const consoleUrl = (deps.consoleUrl ?? DEFAULT_CONSOLE_URL).replace(/\/+$/, '');
  const links = { consoleUrl, keyRing, mail };
  const routes: Route[] = [
    ...createAuthRoutes({ orm, passwords, accessTokens }),
    ...createPasswordResetRoutes({ orm, passwords, links }),
    ...createSsoRoutes({ orm, clock, log, jwtSecrets, consoleUrl, mail, settings: deps.sso }),
    ...sessionRoutes,
    ...createIdentityRoutes({ issuer: deps.sso?.issuer }),
    ...createInvitationRoutes({ orm, passwords, links }),
    ...createOrganisationRoutes({ bodiesAllowed }),
    ...teamRoutes,
    ...createUserRoutes({ passwords, links }),
    ...createProviderRoutes({ keyRing, addressRules, ambient: deps.ambient ?? NO_AMBIENT }),
    ...modelRoutes,
    ...modelAliasRoutes,
    ...usageViewRoutes,
    ...experimentRoutes,
    ...mcpSignInRoutes,
    ...screeningPolicyRoutes,
    ...createScreeningServiceRoutes({
      keyRing,
      addressRules,
      sandbox: deps.sandbox ?? createSandbox({ threads: 1 }),
    }),
    ...createMcpServerRoutes({ keyRing, addressRules, runner: deps.runner }),
    ...apiKeyRoutes,
    ...createDryRunTicketRoutes({ keyRing }),
    ...budgetRoutes,
    ...routingPolicyRoutes,
    ...quotaRoutes,
    ...rateLimitRoutes,
    ...softLimitRoutes,
    ...usageRoutes,
    ...createKeptBodyRoutes({ bodiesAllowed, keyRing }),
    ...priceCorrectionRoutes,
    ...invoiceRoutes,
    ...ledgerRoutes,
    ...createAlertRoutes({ keyRing, addressRules, mail, delivery: deliveryOf(deps, consoleUrl) }),
    ...auditEventRoutes,
    ...createExportDestinationRoutes({ keyRing, addressRules }),
    ...systemRoutes(deps),
  ];
  assertComplete(routes);
  return createRestShell({
    orm,
    clock,
    keyRing,
    log: deps.log,
    tracing: deps.tracing,
    authenticate: createAuthenticate({ orm, clock, accessTokens }),
    originOf: createOriginOf(deps.consoleTokens ?? []),
    routes,
    corsOrigins: deps.corsOrigins ?? [],
    trustedProxies: deps.trustedProxies ?? [],
    ...(deps.onFinished === undefined ? {} : { onFinished: deps.onFinished }),
  });
}

function deliveryOf(deps: RestDeps, consoleUrl: string): DeliveryDeps {
  const { addressRules, clock = systemClock, keyRing: ring, log, pool, sendMail } = deps;
  return { addressRules, clock, ring, log, pool, sendMail, consoleUrl };
}

/** Whether the catalog can serve REST and gRPC. */
export function createHealth(deps: Pick<RestDeps, 'orm' | 'checks'>): () => Promise<HealthReport> {
  const checks: Record<string, HealthCheck> = {
    ...deps.checks,
    database: async () => {
      await deps.orm.query('SELECT 1').catch((cause: unknown) => {
        // The driver's message may contain the address and the user.
        throw new Error('the database does not answer', { cause });
      });
    },
  };
  return () => healthChecks(checks, { timeoutMs: HEALTH_TIMEOUT_MS });
}

function systemRoutes(deps: RestDeps): Route[] {
  const { document } = apiDocs();
  const health = createHealth(deps);
  return [
    serveOpen(rest.getHealth, async (call) => {
      const report = await health();
      if (!report.ok) call.setStatus(503);
      return report;
    }),
    serveOpen(rest.getOpenApi, () => Promise.resolve({ ...document })),
  ];
}

/** Every endpoint is served exactly once; a mistake fails at start instead of at a call. */
function assertComplete(routes: readonly Route[]): void {
  const served = routes.map(({ endpoint }) => endpoint.id);
  const missing = rest.ENDPOINTS.filter(({ id }) => !served.includes(id)).map(({ id }) => id);
  const twice = served.filter((id, at) => served.indexOf(id) !== at);
  if (missing.length > 0 || twice.length > 0) {
    throw new Error(
      `endpoints not served: ${missing.join(', ')}; served twice: ${twice.join(', ')}`,
    );
  }
}

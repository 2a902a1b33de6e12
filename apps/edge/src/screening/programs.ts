// Compiles the screening rules of requests. A version of a policy never changes, so what is compiled keeps
// working while the catalog is away.

import { createHash } from 'node:crypto';
import { asksService, gatewayError, screeningRules } from '@tollgate/contracts';
import type {
  ScreeningPolicy__Output,
  ScreeningRef__Output,
  ScreeningService__Output,
} from '@tollgate/contracts/node';
import { createBoundedCache, singleFlight, type Logger } from '@tollgate/kit';
import { compileSchemas, createProgram, type NamedRule } from '@tollgate/screening';

import type { AskService, ScreeningPrograms, ScreeningRules } from '../exchange/screening';
import { openService, type ServiceDeps } from './services';

export interface ScreeningProgramsDeps extends ServiceDeps {
  /** Undefined: the version does not exist. Throws if the catalog is unreachable. */
  fetch: (policyId: string, version: number) => Promise<ScreeningPolicy__Output | undefined>;
  log: Logger;
}

/** An automaton of keywords may take 8 MiB, and few do. */
const MOST_PROGRAMS = 128;
const MOST_POLICIES = 1_024;

interface LoadedPolicy {
  readonly rules: readonly NamedRule[];
  /** By the identifier in the rules. */
  readonly services: ReadonlyMap<string, AskService>;
  readonly serviceKeyIds: readonly string[];
}

export function createScreeningPrograms(deps: ScreeningProgramsDeps): ScreeningPrograms {
  const { fetch, log } = deps;
  const programs = createBoundedCache<string, ScreeningRules>({ max: MOST_PROGRAMS });
  const policies = createBoundedCache<string, LoadedPolicy>({ max: MOST_POLICIES });
  const flight = singleFlight<ScreeningRules>();
  const open = createSharedServices(deps);

  const policyOf = async ({ policyId, version }: ScreeningRef__Output) => {
    const key = `${policyId}:${version}`;
    const known = policies.get(key);
    if (known) return known;
    const policy = await fetch(policyId, version);
    if (!policy)
      throw new Error(`there is no version ${version} of the screening policy ${policyId}`);
    const rules = screeningRules
      .parse(JSON.parse(policy.rulesJson))
      .map((rule) => ({ policy: policy.identifier, version, rule }));
    const services = new Map(
      policy.services.map((service) => [service.identifier, open(service, policy.organisationId)]),
    );
    const loaded = { rules, services, serviceKeyIds: policy.serviceKeyIds };
    policies.set(key, loaded);
    return loaded;
  };

  const load = async (
    key: string,
    refs: readonly ScreeningRef__Output[],
    judged: number,
  ): Promise<ScreeningRules> => {
    try {
      const rules = await together(await Promise.all(refs.map(policyOf)), judged);
      programs.set(key, rules);
      return rules;
    } catch (cause) {
      // Without its rules a request must not pass.
      log.error('screening rules cannot be used', { policies: key, error: cause });
      throw gatewayError('dependency_unavailable', undefined, {
        cause: cause instanceof Error ? cause : undefined,
        details: { dependency: 'catalog' },
      });
    }
  };

  return {
    get: (refs, judged = 0) => {
      const names = refs.map(({ policyId, version }) => `${policyId}:${version}`).join();
      const key = judged === 0 ? names : `${names} after ${judged}`;
      return programs.get(key) ?? flight(key, () => load(key, refs, judged));
    },
  };
}

const MOST_SERVICES = 1_024;

/** Opens a service once for all policies that ask it, as its limits and its connection are its own. */
export function createSharedServices(deps: ServiceDeps) {
  const services = createBoundedCache<string, AskService>({ max: MOST_SERVICES });
  return (service: ScreeningService__Output, organisationId: string): AskService => {
    // Without the bytes of the settings, which have code and sealed secrets.
    const settings = createHash('sha256').update(JSON.stringify(service)).digest('base64');
    const key = `${organisationId} ${service.serviceId} ${settings}`;
    const known = services.get(key);
    if (known) return known;
    const opened = openService(deps, service, organisationId);
    services.set(key, opened);
    return opened;
  };
}

/** Throws if a rule asks a service that is not there. */
async function together(
  policies: readonly LoadedPolicy[],
  judged: number,
): Promise<ScreeningRules> {
  const all = policies.flatMap(({ rules }) => rules);
  const before = policies.slice(0, judged).flatMap(({ rules }) => rules).length;
  const program = createProgram(all, { schemas: await compileSchemas(all), judged: before });
  const services = new Map<number, AskService>();
  let at = 0;
  for (const { rules, services: known } of policies) {
    for (const { rule } of rules) {
      if (asksService(rule)) {
        const service = known.get(rule.service);
        if (!service) throw new Error(`there is no screening service ${rule.service}`);
        services.set(at, service);
      }
      at += 1;
    }
  }
  return {
    program,
    services,
    serviceKeyIds: new Set(policies.flatMap(({ serviceKeyIds }) => serviceKeyIds)),
  };
}

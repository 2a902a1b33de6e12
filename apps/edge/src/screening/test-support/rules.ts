// Screening policies for tests of the edge, and texts to find.

import { screeningRule, type ScreeningRule } from '@tollgate/contracts';
import type { ScreeningPolicy } from '@tollgate/contracts/node';

import { allow, candidate, type Harness } from '../../test-support/harness';

export const CANARY = 'canary-Ünï-zq7x';
export const PLACES = ['INPUT', 'TOOL_RESULTS', 'OUTPUT', 'TOOL_ARGUMENTS'] as const;

type Given = Record<string, unknown>;

const WORDS = { kind: 'KEYWORDS', keywords: [CANARY], wholeWords: false };

export function ruleOf(given: Given): ScreeningRule {
  return screeningRule.parse({
    id: 'one',
    ...(given['kind'] === undefined ? WORDS : {}),
    where: [...PLACES],
    action: 'BLOCK',
    onError: 'BLOCK',
    ...given,
  });
}

let version = 0;

/** From now on a policy with these rules applies to every request. */
export function screens(
  h: Pick<Harness, 'catalog' | 'policy'>,
  rules: readonly Given[],
  over: Parameters<typeof candidate>[0] = {},
  asked: Pick<ScreeningPolicy, 'services' | 'serviceKeyIds'> & { apiKeyId?: string } = {},
): void {
  version += 1;
  const policyId = 'policy-1';
  h.catalog.screeningPolicies.set(`${policyId}:${version}`, {
    policyId,
    version,
    organisationId: 'org-1',
    identifier: 'house',
    rulesJson: JSON.stringify(rules.map(ruleOf)),
    services: asked.services ?? [],
    serviceKeyIds: asked.serviceKeyIds ?? [],
  });
  const ref = { policyId, version };
  h.policy.decide = () => {
    const { allow: decision } = allow([candidate(over)]);
    const subject = asked.apiKeyId === undefined ? {} : { subject: { apiKeyId: asked.apiKeyId } };
    return { allow: { ...decision, ...subject, screening: [ref] } };
  };
}

/** The same document with a text in place of each of its sample texts. */
export function withText<T>(value: T, text: string): T {
  if (typeof value === 'string') return (SAMPLES.has(value) ? text : value) as T;
  if (Array.isArray(value)) return value.map((one) => withText<unknown>(one, text)) as T;
  if (value instanceof FormData) {
    const form = new FormData();
    for (const [name, part] of value.entries()) form.append(name, withText(part, text));
    return form as T;
  }
  if (typeof value !== 'object' || value === null || value instanceof Blob) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withText<unknown>(inner, text)]),
  ) as T;
}

const SAMPLES = new Set([
  'Hi',
  'Ho',
  'Ha',
  'A tree',
  'Hello',
  'Hello there',
  ' there',
  'weather',
  'x',
]);

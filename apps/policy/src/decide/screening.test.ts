import type { ScreeningEntry__Output, Subject__Output } from '@tollgate/contracts/node';

import { planOf } from '../directory';
import { context, ORG, screeningEntry, SUBJECT } from '../test-support/contexts';
import { screeningOf } from './screening';

interface Asked {
  readonly subject: Subject__Output;
  readonly models: readonly string[];
  readonly stored: string;
}

/** `policy@version` of each policy that applies. */
function applying(
  screening: ScreeningEntry__Output[],
  { subject = SUBJECT, models = ['model-1'], stored }: Partial<Asked> = {},
): string[] {
  const { organisation } = planOf(context({ screening }));
  const candidates = models.map((modelId) => ({ modelId }));
  const made = stored === undefined ? undefined : { modelId: stored };
  return screeningOf(organisation.screening, subject, candidates, made).map(
    ({ policyId, version }) => `${String(policyId)}@${String(version)}`,
  );
}

test.each([
  ['ORGANISATION', ORG, 'org-2'],
  ['TEAM', 'team-1', 'team-2'],
  ['API_KEY', 'key-1', 'key-2'],
  ['MODEL', 'model-1', 'model-2'],
])('a policy of a scope %s applies to that one only', (scopeType, own, other) => {
  expect(applying([screeningEntry('p', [scopeType, own])])).toEqual(['p@1']);
  expect(applying([screeningEntry('p', [scopeType, other])])).toEqual([]);
});

test('an id counts in its own scope only', () => {
  expect(applying([screeningEntry('p', ['TEAM', 'key-1'], ['MODEL', 'team-1'])])).toEqual([]);
});

test('a policy of an MCP server applies to its messages only', () => {
  const { organisation } = planOf(
    context({ screening: [screeningEntry('p', ['MCP_SERVER', 'server-1'])] }),
  );
  const of = (serverId?: string) =>
    screeningOf(organisation.screening, SUBJECT, [], undefined, serverId).length;
  expect([of('server-1'), of('server-2'), of()]).toEqual([1, 0, 0]);
});

test('one matching attachment is enough, and several name the policy once', () => {
  const attached = screeningEntry(
    'p',
    ['TEAM', 'team-2'],
    ['TEAM', 'team-1'],
    ['API_KEY', 'key-1'],
  );
  expect(applying([attached])).toEqual(['p@1']);
});

test('a policy of any candidate applies, so that none escapes it', () => {
  const policies = [screeningEntry('p', ['MODEL', 'model-3'])];
  expect(applying(policies, { models: ['model-1', 'model-2', 'model-3'] })).toEqual(['p@1']);
  expect(applying(policies, { models: ['model-1', 'model-2'] })).toEqual([]);
});

test('a policy of the model that made a stored object applies to it', () => {
  const policies = [screeningEntry('p', ['MODEL', 'model-3'])];
  expect(applying(policies, { stored: 'model-3' })).toEqual(['p@1']);
  expect(applying(policies, { stored: 'model-2' })).toEqual([]);
});

test('without candidates, those of the organisation, team and key apply', () => {
  const policies = [
    screeningEntry('of-organisation', ['ORGANISATION', ORG]),
    screeningEntry('of-model', ['MODEL', 'model-1']),
    screeningEntry('of-key', ['API_KEY', 'key-1']),
  ];
  expect(applying(policies, { models: [] })).toEqual(['of-organisation@1', 'of-key@1']);
});

test('a key without a team has no policy of a team', () => {
  const subject = { ...SUBJECT, teamId: '' };
  expect(applying([screeningEntry('p', ['TEAM', 'team-1'])], { subject })).toEqual([]);
});

test('an unknown scope counts as matching', () => {
  expect(applying([screeningEntry('p', ['NEW_SCOPE', 'anything'])])).toEqual(['p@1']);
});

test('a policy that is attached to nothing applies to nothing', () => {
  expect(applying([screeningEntry('p')])).toEqual([]);
});

test('policies keep their order and their versions', () => {
  const attachment = ['ORGANISATION', ORG] as const;
  const policies = ['c', 'a', 'b'].map((policyId, at) => ({
    ...screeningEntry(policyId, attachment),
    version: at + 1,
  }));
  expect(applying(policies)).toEqual(['c@1', 'a@2', 'b@3']);
});

test('without policies, every request gets the same empty array', () => {
  const first = screeningOf([], SUBJECT, [{ modelId: 'model-1' }]);
  expect(screeningOf([], SUBJECT, [])).toBe(first);
  expect(first).toEqual([]);
});

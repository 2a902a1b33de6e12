import type { AuthorizeReply__Output, ScreeningEntry__Output } from '@tollgate/contracts/node';

import {
  ask,
  context,
  mcpAsk,
  mcpServer,
  model,
  screeningEntry,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';

// Which screening policies a request is told, and what becomes of what they find.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(async () => {
  await rig.stop();
});

const SMALL = model({ modelId: 'model-1', name: 'small' });
const OTHER = model({ modelId: 'model-2', name: 'other' });

/** One policy for each place that it can be attached to, and one for each place beside it. */
const policiesOf = (organisationId: string): ScreeningEntry__Output[] => [
  screeningEntry('of-model', ['MODEL', 'model-1']),
  screeningEntry('of-organisation', ['ORGANISATION', organisationId]),
  screeningEntry('of-team', ['TEAM', 'team-1']),
  screeningEntry('of-other-team', ['TEAM', 'team-2']),
  screeningEntry('of-key', ['API_KEY', 'key-1']),
  screeningEntry('of-other-key', ['API_KEY', 'key-2']),
  screeningEntry('of-other-model', ['MODEL', 'model-2']),
];
const OF_ALL = ['of-organisation@1', 'of-team@1', 'of-key@1'];

function newKey(organisationId: string, changes: Parameters<typeof context>[0] = {}): Buffer {
  const keySha256 = sha256(`key of ${organisationId}`);
  rig.catalog.putKey(
    keySha256,
    context({
      subject: { ...SUBJECT, organisationId },
      models: [SMALL, OTHER],
      mcpServers: [mcpServer()],
      mcpServerIds: ['server-1'],
      screening: policiesOf(organisationId),
      ...changes,
    }),
  );
  return keySha256;
}

/** `policy@version` of each policy. */
function told({ allow, denial }: AuthorizeReply__Output): string[] {
  if (!allow) throw new Error(`refused: ${denial?.code ?? ''}`);
  return allow.screening.map(({ policyId, version }) => `${policyId}@${String(version)}`);
}

test('a request is told the policies of its organisation, team, key and model, and no others', async () => {
  const keySha256 = newKey('org-screen-a');
  const small = await rig.authorize(ask({ keySha256 }));
  expect(told(small)).toEqual(['of-model@1', ...OF_ALL]);
  const other = await rig.authorize(ask({ keySha256, model: 'other' }));
  expect(told(other)).toEqual([...OF_ALL, 'of-other-model@1']);
});

test('an organisation without policies is told none', async () => {
  const keySha256 = newKey('org-screen-b', { screening: [] });
  expect(told(await rig.authorize(ask({ keySha256 })))).toEqual([]);
});

test('a routed request is told the policies of all of its candidates', async () => {
  const keySha256 = newKey('org-screen-c', {
    routingEnabled: true,
    routingPolicy: {
      policyId: 'routing-1',
      name: 'routed',
      strategy: 'failover',
      triggers: ['5xx'],
      totalTimeoutMs: 0,
      retries: 0,
      hedgeAfterMs: 0,
      timeouts: null,
      candidates: ['model-1', 'model-2'].map((modelId, at) => ({
        modelId,
        priority: at,
        weight: 1,
        timeouts: null,
      })),
    },
  });
  const reply = await rig.authorize(ask({ keySha256, model: 'routed' }));
  expect(reply.allow?.candidates).toHaveLength(2);
  expect(told(reply)).toEqual(['of-model@1', ...OF_ALL, 'of-other-model@1']);
});

test.each(['tools/call', 'tools/list'])('%s is told those that need no model', async (method) => {
  const keySha256 = newKey('org-screen-d');
  const name = method === 'tools/call' ? 'search' : '';
  expect(told(await rig.authorize(mcpAsk({ method, name }, { keySha256 })))).toEqual(OF_ALL);
});

test('a stored response is told those of the model that made it', async () => {
  const keySha256 = newKey('org-screen-e');
  const request = ask({ keySha256, operation: 'responses', family: 'openai' });
  const made = await rig.authorize(request);
  const holdToken = made.allow?.holdToken ?? Buffer.alloc(0);
  await rig.settle(settled(request.requestId, holdToken, { responseId: 'resp_screen' }));
  const read = {
    keySha256,
    operation: 'response_retrieve',
    family: 'openai',
    storedId: 'resp_screen',
  };
  const plain = await rig.authorize(ask({ ...read, model: '' }));
  expect(told(plain)).toEqual(['of-model@1', ...OF_ALL]);
  // Naming another model, or archiving its own, does not evade its policy.
  const both = ['of-model@1', ...OF_ALL, 'of-other-model@1'];
  expect(told(await rig.authorize(ask({ ...read, model: 'other' })))).toEqual(both);
  newKey('org-screen-e', { models: [OTHER] });
  const archived = await eventually('the model is gone', async () => {
    const reply = await rig.authorize(ask({ ...read, model: '' }));
    expect(reply.allow?.candidates).toMatchObject([{ modelId: 'model-2' }]);
    return reply;
  });
  expect(told(archived)).toEqual(both);
});

test('a repeated request is told the same', async () => {
  const keySha256 = newKey('org-screen-f');
  for (const request of [ask({ keySha256 }), mcpAsk({}, { keySha256 })]) {
    const first = await rig.authorize(request);
    expect(told(await rig.authorize(request))).toEqual(told(first));
  }
});

test('after news of a policy, requests are told its new version', async () => {
  const organisationId = 'org-screen-g';
  const keySha256 = newKey(organisationId);
  const elsewhere = newKey('org-screen-h');
  expect(told(await rig.authorize(ask({ keySha256 })))).toEqual(['of-model@1', ...OF_ALL]);
  const changed = { ...screeningEntry('of-team', ['TEAM', 'team-1']), version: 2 };
  rig.catalog.putScreening(organisationId, [changed]);
  await eventually('the new version is told', async () => {
    expect(told(await rig.authorize(ask({ keySha256 })))).toEqual(['of-team@2']);
  });
  rig.catalog.putScreening(organisationId, []);
  await eventually('no policy is left', async () => {
    expect(told(await rig.authorize(ask({ keySha256 })))).toEqual([]);
  });
  const others = await rig.authorize(ask({ keySha256: elsewhere }));
  expect(told(others)).toEqual(['of-model@1', ...OF_ALL]);
});

test.each([
  ['a model', (keySha256: Buffer) => ask({ keySha256 })],
  ['an MCP server', (keySha256: Buffer) => mcpAsk({}, { keySha256 })],
])('what was found in a request to %s is in its ledger entry', async (_, requestOf) => {
  const request = requestOf(newKey('org-screen-i'));
  const { allow } = await rig.authorize(request);
  const screening = 'p/r;version=1;place=INPUT;action=OBSERVE;hits=2, '.repeat(40).slice(0, 2_000);
  const settle = settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0), { screening });
  expect(await rig.settle(settle)).toMatchObject({ duplicate: false });
  const entry = await eventually('booked', () => {
    const found = rig.catalog.books.records.get(request.requestId);
    if (found === undefined) throw new Error('no record');
    return found;
  });
  expect(entry.settle?.screening).toBe(screening);
});

test('a longer text is refused, and its hold can still be settled', async () => {
  const request = ask({ keySha256: newKey('org-screen-j') });
  const { allow } = await rig.authorize(request);
  const settle = (screening: string) =>
    rig.settle(settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0), { screening }));
  await expect(settle('a'.repeat(2_001))).rejects.toThrow('screening: too long');
  expect(await settle('a')).toMatchObject({ duplicate: false });
});

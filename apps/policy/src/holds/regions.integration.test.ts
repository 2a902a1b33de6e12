import type { SettleRequest__Output } from '@tollgate/contracts/node';
import { callUnary, uuidv7 } from '@tollgate/kit';

import { routedContext } from '../routing/test-support/policies';
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
import { FLOATS, startRig, type Rig } from '../test-support/rig';

// Where a request may be processed counts for what it continues, reads and calls, not only for models.

const EU = [{ scopeType: 'TEAM', regions: ['eu'] }];

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  type Changes = Parameters<typeof ask>[0];
  function key(organisationId: string, changes: Parameters<typeof context>[0] = {}) {
    const keySha256 = sha256(`${organisationId} ${uuidv7()}`);
    const subject = { ...SUBJECT, organisationId };
    rig.catalog.putKey(keySha256, context({ subject, allowedRegions: EU, ...changes }));
    return keySha256;
  }
  const responses = (keySha256: Buffer, changes: Changes = {}) =>
    rig.authorize(ask({ keySha256, operation: 'responses', family: 'openai', ...changes }));

  async function answered(
    keySha256: Buffer,
    settle: Partial<SettleRequest__Output>,
    changes: Changes = {},
  ): Promise<void> {
    const request = ask({ keySha256, operation: 'responses', family: 'openai', ...changes });
    const { allow } = await rig.authorize(request);
    if (!allow) throw new Error('refused');
    await rig.settle(settled(request.requestId, allow.holdToken, settle));
  }

  test('a refusal names what is allowed, by whom, and what is missing', async () => {
    const denied = await responses(key('org-names', { models: [model({ region: 'us' })] }));
    expect(denied.denial?.code).toBe('region_not_allowed');
    expect(denied.denial?.message).toBe(
      'The provider of the model "small" is in the region us. This request may use only eu. Nothing was sent.',
    );
    expect(JSON.parse(denied.denial?.detailsJson ?? '')).toMatchObject({
      model: 'small',
      region: 'us',
      allowedRegions: ['eu'],
      regionRules: [{ scopeType: 'TEAM', regions: ['eu'] }],
    });
    const unknown = await responses(key('org-names'));
    expect(unknown.denial?.message).toContain('has no region.');
    const nowhere = await responses(
      key('org-names', { models: [model({ region: 'us', allowedRegions: ['us'] })] }),
    );
    expect(nowhere.denial?.message).toContain(
      'No region is allowed by all of TEAM: eu; MODEL: us.',
    );
  });

  test('a continued response stays where it was made, so its region is that of then', async () => {
    const made = model({ region: 'us', connectionVersion: 3 });
    await answered(key('org-moved', { allowedRegions: [], models: [made] }), {
      responseId: 'resp_moved',
    });
    const kept = model({ region: 'eu', connectionVersion: 5, regionFromVersion: 2 });
    const moved = model({ region: 'eu', connectionVersion: 5, regionFromVersion: 4 });
    const follow = { previousResponseId: 'resp_moved' };
    const allowed = await responses(key('org-moved', { models: [kept] }), follow);
    expect(allowed.allow?.candidates).toMatchObject([{ connectionVersion: 3, region: 'eu' }]);
    const denied = await responses(key('org-moved', { models: [moved] }), follow);
    expect(denied.denial?.code).toBe('region_not_allowed');
    // A new response goes to the connection of now.
    const fresh = await responses(key('org-moved', { models: [moved] }));
    expect(fresh.allow?.candidates).toMatchObject([{ connectionVersion: 5, region: 'eu' }]);
  });

  test('a version that the catalog has not told of has no region', async () => {
    const newer = model({ region: 'eu', connectionVersion: 6 });
    await answered(key('org-newer', { models: [newer] }), { responseId: 'resp_newer' });
    const denied = await responses(
      key('org-newer', { models: [model({ region: 'eu', connectionVersion: 5 })] }),
      { previousResponseId: 'resp_newer' },
    );
    expect(denied.denial?.code).toBe('region_not_allowed');
  });

  test('a stored response outside of the regions is neither read nor deleted', async () => {
    const models = [model({ region: 'us' })];
    await answered(key('org-stored', { allowedRegions: [], models }), { responseId: 'resp_s' });
    for (const operation of ['response_get', 'response_delete']) {
      const stored = { operation, model: '', storedId: 'resp_s' };
      const open = await responses(key('org-stored', { allowedRegions: [], models }), stored);
      expect(open.allow?.candidates).toMatchObject([{ region: 'us' }]);
      const denied = await responses(key('org-stored', { models }), stored);
      expect(denied.denial?.code).toBe('region_not_allowed');
    }
  });

  test('a conversation is made at a provider within the regions, or nowhere', async () => {
    const there = model({ modelId: 'm-us', name: 'us', providerId: 'p-us', region: 'us' });
    const here = model({ modelId: 'm-eu', name: 'eu', providerId: 'p-eu', region: 'eu' });
    const create = { operation: 'conversation_create', model: '' };
    const made = await responses(key('org-conv', { models: [there, here] }), create);
    expect(made.allow?.candidates).toMatchObject([{ modelId: 'm-eu', region: 'eu' }]);
    const denied = await responses(key('org-conv', { models: [there] }), create);
    expect(denied.denial?.code).toBe('region_not_allowed');
  });

  test('an MCP server is called within the regions only', async () => {
    const servers = (region: string) => ({
      mcpServers: [mcpServer({ region })],
      mcpServerIds: ['server-1'],
    });
    const inside = key('org-mcp', servers('eu'));
    const { allow } = await rig.authorize(mcpAsk({}, { keySha256: inside }));
    expect(allow?.mcp).toMatchObject({ serverId: 'server-1', region: 'eu' });
    for (const region of ['us', '']) {
      const outside = key('org-mcp', servers(region));
      const { denial } = await rig.authorize(mcpAsk({}, { keySha256: outside }));
      expect(denial?.code).toBe('region_not_allowed');
    }
  });

  test('a request is refused before a service outside of its regions gets its texts', async () => {
    const screened = (region: string, ...attachedTo: Parameters<typeof screeningEntry>[1][]) => ({
      screening: [
        {
          ...screeningEntry('policy-1', ...attachedTo),
          services: [
            { identifier: 'near', region: 'eu' },
            { identifier: 'checker', region },
          ],
        },
      ],
      models: [model({ region: 'eu' })],
    });
    const inside = await responses(key('org-screened', screened('eu', ['TEAM', 'team-1'])));
    expect(inside.allow?.screening).toMatchObject([{ policyId: 'policy-1' }]);
    const { denial } = await responses(key('org-screened', screened('us', ['TEAM', 'team-1'])));
    expect(denial?.code).toBe('region_not_allowed');
    expect(denial?.message).toBe(
      'The screening service "checker", which would get the texts, is in the region us. This request may use only eu. Nothing was sent.',
    );
    expect(JSON.parse(denial?.detailsJson ?? '')).toMatchObject({
      screeningService: 'checker',
      region: 'us',
      allowedRegions: ['eu'],
    });
    const unknown = await responses(key('org-screened', screened('', ['MODEL', 'model-1'])));
    expect(unknown.denial?.message).toContain('has no region.');
    // It screens requests of others.
    const other = await responses(key('org-screened', screened('us', ['TEAM', 'team-2'])));
    expect(other.allow?.candidates).toHaveLength(1);
    const anywhere = { allowedRegions: [], ...screened('us', ['TEAM', 'team-1']) };
    expect((await responses(key('org-screened', anywhere))).allow?.screening).toHaveLength(1);
  });

  test('a service that would screen for one candidate counts for all that have a set', async () => {
    const models = [
      model({ region: 'eu', allowedRegions: ['eu'] }),
      model({ modelId: 'model-2', name: 'other', region: 'us', providerId: 'provider-2' }),
    ];
    const screening = [
      {
        ...screeningEntry('policy-1', ['MODEL', 'model-2']),
        services: [{ identifier: 'checker', region: 'us' }],
      },
    ];
    const changes = { allowedRegions: [], models, screening };
    const alone = await responses(key('org-beside', changes), { model: 'small' });
    expect(alone.allow?.candidates).toMatchObject([{ modelId: 'model-1' }]);
    const policy = { name: 'either' };
    const keySha256 = sha256('org-beside routed');
    const subject = { ...SUBJECT, organisationId: 'org-beside' };
    rig.catalog.putKey(keySha256, routedContext(models, policy, { ...changes, subject }));
    const routed = await rig.authorize(ask({ keySha256, model: 'either' }));
    expect(routed.allow?.candidates).toMatchObject([{ modelId: 'model-2' }]);
    expect(routed.allow?.routing?.leftOut).toMatchObject([
      { modelId: 'model-1', reason: 'screening_region' },
    ]);
  });

  test('a server is not called if a service outside of the regions screens its messages', async () => {
    const servers = {
      mcpServers: [mcpServer({ region: 'eu' })],
      mcpServerIds: ['server-1'],
      screening: [
        {
          ...screeningEntry('policy-1', ['MCP_SERVER', 'server-1']),
          services: [{ identifier: 'checker', region: 'us' }],
        },
      ],
    };
    const { denial } = await rig.authorize(mcpAsk({}, { keySha256: key('org-mcp-s', servers) }));
    expect(denial?.message).toContain('The screening service "checker"');
  });

  test('a model that no request of the key may use is in no list', async () => {
    const models = [
      model({ region: 'us' }),
      model({ modelId: 'model-2', name: 'here', region: 'eu' }),
    ];
    const keySha256 = key('org-list', { models });
    const reply = await callUnary(rig.client, 'validateKey', { keySha256 }, { deadlineMs: 15_000 });
    expect(reply.models.map(({ name }) => name)).toEqual(['here']);
  });
});

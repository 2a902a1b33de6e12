import { rest } from '@tollgate/contracts';

import { createRestClient, type RestAnswer, type RestRequest } from '../api/rest-client';
import { reversible } from './reversible';

const params = { organisationId: 'o', apiKeyId: 'k' };

/** A server that remembers what it was asked, and gives each answer the next ETag. */
function server(status = 200) {
  const asked: RestRequest[] = [];
  const client = createRestClient(async (request): Promise<RestAnswer> => {
    asked.push(request);
    const error = {
      error: { code: 'precondition_failed', message: 'It has changed.', details: [] },
    };
    return {
      status: asked.length === 1 ? 200 : status,
      data: asked.length > 1 && status !== 200 ? error : { mcpServerIds: [], grants: [] },
      header: (name) => (name === 'etag' ? `"${String(asked.length)}"` : undefined),
    };
  });
  return { asked, client };
}

const endpoint = rest.setApiKeyMcpServers;
const change = (ids: string[]) => [endpoint, { params, body: { mcpServerIds: ids } }] as const;

test('the way back is bound to what the change made of it', async () => {
  const { asked, client } = server();
  const { run, undo } = reversible(client, change([]), change(['a']), 'As it was.');
  await run();
  await undo?.run();
  expect(asked.map(({ data, headers }) => [data, headers])).toEqual([
    [{ mcpServerIds: [] }, {}],
    [{ mcpServerIds: ['a'] }, { 'if-match': '"1"' }],
  ]);
});

test('it is not taken back over what somebody else has changed since', async () => {
  const { client } = server(412);
  const { run, undo } = reversible(client, change([]), change(['a']), 'As it was.');
  await run();
  await expect(undo?.run()).rejects.toMatchObject({ status: 412 });
});

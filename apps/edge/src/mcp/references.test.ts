import type { AdmittedExchange } from './exchange';
import { checkReferences } from './references';

const RULES = [
  {
    tools: null,
    prompts: { allowed: ['public_*'], denied: [] },
    resources: { allowed: ['file:///open/*'], denied: [] },
  },
];

function check(method: string, params: object): void {
  const message = { kind: 'request', id: 1, method, name: '', params };
  checkReferences({
    message,
    server: 'files',
    target: { rules: RULES },
  } as unknown as AdmittedExchange);
}

const listen = (...resourceSubscriptions: unknown[]) => ({
  notifications: { toolsListChanged: true, resourceSubscriptions },
});

test.each([
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'public_greeting' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'file:///open/{name}' } }],
  ['completion/complete', {}],
  ['subscriptions/listen', listen('file:///open/a', 'file:///open/b')],
  ['subscriptions/listen', { notifications: {} }],
  ['subscriptions/listen', {}],
  ['tools/list', { ref: { name: 'secret' } }],
])('%s of what the rules allow passes: %j', (method, params) => {
  expect(() => check(method, params)).not.toThrow();
});

test.each([
  ['completion/complete', { ref: { name: 'secret' } }, 'params.ref.name', { prompt: 'secret' }],
  [
    'completion/complete',
    { ref: { uri: 'file:///closed/{name}' } },
    'params.ref.uri',
    { resource: 'file:///closed/{name}' },
  ],
  [
    'subscriptions/listen',
    listen('file:///open/a', 'file:///closed'),
    'params.notifications.resourceSubscriptions.1',
    { resource: 'file:///closed' },
  ],
  [
    'completion/complete',
    { ref: { uri: 'file:///open/../closed/{name}' } },
    'params.ref.uri',
    { resource: 'file:///open/../closed/{name}' },
  ],
  [
    'subscriptions/listen',
    listen('file:///open/%2e%2e/closed'),
    'params.notifications.resourceSubscriptions.0',
    { resource: 'file:///open/%2e%2e/closed' },
  ],
])('%s of anything else is refused: %j', (method, params, param, details) => {
  expect(() => check(method, params)).toThrow(
    expect.objectContaining({
      code: 'mcp_access_denied',
      param,
      details: { server: 'files', ...details },
    }),
  );
});

test('subscriptions have a limit', () => {
  const many = Array.from({ length: 1_025 }, () => 'file:///open/a');
  expect(() => check('subscriptions/listen', listen(...many))).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});

import { rest } from '@tollgate/contracts';

import { NEW_SERVICE, serviceBodyOf, serviceDraftOf, servicePatchOf } from './service-draft';

const PROTOCOLS: rest.ScreeningProtocol[] = [
  { type: 'TOLLGATE_HTTP' },
  { type: 'TOLLGATE_GRPC', streams: true },
  { type: 'PRESIDIO', language: 'de', scoreThreshold: 0.35, entities: ['PERSON', 'LOCATION'] },
  { type: 'OPENAI_MODERATION', model: 'omni', thresholds: { 'self-harm/intent': 0.2 } },
  { type: 'OPENAI_MODERATION', model: 'omni', thresholds: null },
  { type: 'GENERIC_GUARDRAIL', parameters: { level: 0.5, mode: 'strict', deep: true } },
  { type: 'CHAT_JUDGE', model: 'judge', instructions: 'No lies.', maxOutputTokens: 64 },
];

const stored = (protocol: rest.ScreeningProtocol): rest.ScreeningService => ({
  id: '019aa000-0000-7000-8000-000000000001',
  organisationId: '019aa000-0000-7000-8000-000000000002',
  identifier: 'checker',
  name: 'Checker',
  url: 'https://checker.example.com/v1',
  protocol,
  auth: { type: 'HEADER', header: 'x-key', template: 'Basic {{secret}}' },
  region: 'eu',
  secretPreview: '…6789',
  createdAt: '2026-11-26T00:00:00.000Z',
  updatedAt: '2026-11-26T00:00:00.000Z',
});

test.each(PROTOCOLS)(
  'a service that is edited without a change is sent as it was: $type',
  (protocol) => {
    const service = stored(protocol);
    const patch = rest.screeningServicePatch.parse(
      servicePatchOf(serviceDraftOf(service), service),
    );
    const { auth, name, region } = service;
    const url = service.url ?? undefined;
    expect(patch).toEqual({ auth, name, protocol, region, url });
  },
);

test('without authentication a stored secret is deleted', () => {
  const service = stored({ type: 'TOLLGATE_HTTP' });
  const draft = { ...serviceDraftOf(service), authType: 'NONE' as const };
  expect(servicePatchOf(draft, service)).toMatchObject({ auth: { type: 'NONE' }, secret: null });
});

test('what is no number is refused at its field', () => {
  const draft = { ...NEW_SERVICE, protocol: 'PRESIDIO' as const, scoreThreshold: 'high' };
  const { error } = rest.screeningServiceCreate.safeParse(serviceBodyOf(draft));
  const paths = error?.issues.map(({ path }) => path.join('.'));
  expect(paths).toContain('protocol.scoreThreshold');
});

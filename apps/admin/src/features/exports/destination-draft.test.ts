import { rest } from '@tollgate/contracts';

import {
  destinationBodyOf,
  destinationDraftOf,
  destinationPatchOf,
  NEW_DESTINATION,
} from './destination-draft';

const S3 = {
  ...NEW_DESTINATION,
  name: 'warehouse',
  type: 'S3' as const,
  url: 'https://dropped.example.com',
  endpoint: ' https://s3.example.com ',
  region: 'auto',
  bucket: 'records',
  accessKeyId: 'AKIA',
  secret: 'key',
};

test('what is typed for the other type is dropped', () => {
  const body = rest.exportDestinationCreate.parse(destinationBodyOf(S3));
  expect(body).toMatchObject({
    target: { type: 'S3', endpoint: 'https://s3.example.com', prefix: '' },
    records: ['USAGE', 'ADJUSTMENT'],
    secret: 'key',
    startFrom: null,
  });
  expect(body.target).not.toHaveProperty('url');
  expect(destinationBodyOf({ ...S3, type: 'WEBHOOK' }).target).not.toHaveProperty('bucket');
});

test('without a secret none is sent, and kinds are in the order of the interface', () => {
  const body = destinationBodyOf({
    ...S3,
    secret: ' ',
    records: ['AUDIT', 'USAGE'],
    startFrom: '2026-01-31',
  });
  expect(body).not.toHaveProperty('secret');
  expect(body).toMatchObject({
    records: ['USAGE', 'AUDIT'],
    startFrom: '2026-01-31T00:00:00Z',
  });
});

test('a destination that is opened and saved stays as it is', () => {
  const { target, ...settings } = rest.exportDestinationCreate.parse(destinationBodyOf(S3));
  const known = { ...settings, target, intervalSeconds: 300 } as unknown as rest.ExportDestination;
  expect(destinationPatchOf(destinationDraftOf(known))).toEqual({
    name: 'warehouse',
    target,
    records: settings.records,
    maxRows: 1000,
    intervalSeconds: 300,
  });
});

import { exportTarget } from './export-destinations';

const target = (endpoint: string, addressing: string) =>
  exportTarget.safeParse({
    type: 'S3',
    endpoint,
    region: 'eu-central-1',
    bucket: 'records',
    addressing,
    accessKeyId: 'id',
  });

test('a bucket is part of a host only where the host has a name', () => {
  expect(target('https://s3.example', 'VIRTUAL_HOST').success).toBe(true);
  expect(target('http://10.0.0.1:9000', 'PATH').success).toBe(true);
  for (const endpoint of ['http://10.0.0.1:9000', 'http://[::1]/']) {
    expect(target(endpoint, 'VIRTUAL_HOST').error?.issues).toMatchObject([
      { path: ['addressing'] },
    ]);
  }
});

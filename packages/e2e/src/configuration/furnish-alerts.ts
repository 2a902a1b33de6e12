import { expectStatus, type Gateway, type Tenant } from '..';

// Rules and destinations of alerts, and what the platform has of its own.

export const STORAGE_SECRET = 'storage-secret-0123456789abcdef';
export const SLACK_URL = 'https://hooks.example.com/services/T0123456789/B0123456789/slack-secret';

/** Destinations and rules of the organisation and of the platform; two destinations have one name. */
export async function furnishAlerts({ rest }: Gateway, { base, create }: Tenant): Promise<void> {
  const platform = async (path: string, body: object): Promise<string> => {
    const { data } = expectStatus(await rest.post(`/api/admin/${path}`, body), 201);
    const made = data as { id?: string; destination?: { id: string } };
    return made.id ?? made.destination?.id ?? '';
  };
  const own = async (body: object): Promise<string> => {
    const { data } = expectStatus(await rest.post(`${base}/alert-destinations`, body), 201);
    return (data as { destination: { id: string } }).destination.id;
  };
  const hook = { kind: 'WEBHOOK', name: 'on call', url: 'https://alerts.example.com/hook' };
  const slack = await own({ kind: 'SLACK', name: 'channel', url: SLACK_URL });
  const first = await own(hook);
  const second = await own({ ...hook, url: 'https://alerts.example.com/second' });
  expectStatus(
    await rest.patch(`${base}/alert-destinations/${second}`, { status: 'DISABLED' }),
    200,
  );
  const budgets = await rest.get<{ data: { id: string; scope: { type: string } }[] }>(
    `${base}/budgets?sort=createdAt`,
  );
  const budgetId = budgets.data.data.filter(({ scope }) => scope.type === 'TEAM')[1]?.id;
  await create('alert-rules', {
    name: 'team is spending',
    condition: { kind: 'BUDGET_USED', thresholds: [90, 50], budgetId },
    destinationIds: [second, slack],
  });
  await create('alert-rules', {
    name: 'refusals',
    condition: { kind: 'REQUESTS_REFUSED', requests: 5, per: 'ORGANISATION', span: 'DAY' },
    destinationIds: [first],
    status: 'DISABLED',
  });
  const pager = await platform('alert-destinations', { ...hook, name: 'pager' });
  await platform('alert-rules', {
    name: 'books are late',
    condition: { kind: 'LEDGER_LAG', seconds: 90 },
    destinationIds: [pager],
  });
  await platform('export-destinations', {
    name: 'all books',
    records: ['USAGE'],
    secret: STORAGE_SECRET,
    target: {
      type: 'S3',
      endpoint: 'https://s3.example.com',
      region: 'eu-central-1',
      bucket: 'books',
      prefix: 'all',
      accessKeyId: 'AKIAEXAMPLE',
    },
  });
}

import type { rest } from '@tollgate/contracts';
import { Webhook } from 'standardwebhooks';

import { chat, eventually, expectStatus, newTenant, startGateway, type Gateway } from '.';
import { startMailbox, type Mailbox } from './console/test-support/mailbox';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from './console/test-support/webhook-receiver';

// Traffic crosses a budget: who was asked to be told is told, once.

let gateway: Gateway;
let mailbox: Mailbox;
let receiver: WebhookReceiver;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  mailbox = await startMailbox();
  stops.push(mailbox.stop);
  receiver = await startWebhookReceiver();
  stops.push(receiver.stop);
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'Tollgate <tollgate@example.com>' };
  gateway = await startGateway({ env: { catalog: { ...mail, ALERT_INTERVAL_SECONDS: '1' } } });
  stops.push(gateway.stop);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

test('a budget that traffic crosses gives one signed message and one letter', async () => {
  const tenant = await newTenant(gateway);
  const hook = (await tenant.create('alert-destinations', {
    kind: 'WEBHOOK',
    name: 'hook',
    url: receiver.url,
  })) as unknown as rest.AlertDestinationSecret;
  const mail = (await tenant.create('alert-destinations', {
    kind: 'EMAIL',
    name: 'mail',
    email: 'ops@example.com',
  })) as unknown as rest.AlertDestinationSecret;
  await tenant.create('alert-rules', {
    name: 'budgets',
    condition: { kind: 'BUDGET_USED', thresholds: [10, 20, 30] },
    destinationIds: [hook.destination.id, mail.destination.id],
  });
  const { id, key } = await tenant.key();
  // One answer of the simulator costs more than this, and a soft limit lets the first request pass.
  const budget = await tenant.create('budgets', {
    scope: { type: 'API_KEY', id },
    period: 'DAILY',
    limitUsd: '0.000001',
    mode: 'SOFT',
  });
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);

  const log = async (): Promise<rest.Alert[]> =>
    (
      expectStatus(await gateway.rest.get(`${tenant.base}/alerts`), 200).data as {
        data: rest.Alert[];
      }
    ).data;
  const alert = await eventually('the alert with both messages delivered', async () => {
    const [first] = await log();
    return first?.deliveries.delivered === 2 && first;
  });
  expect(alert).toMatchObject({ kind: 'BUDGET_USED', subject: { id: budget.id }, threshold: 30 });

  // The second request is evaluated as well, and is above every threshold already.
  const evaluations = async (): Promise<number> => {
    const url = `http://127.0.0.1:${String(gateway.stack.layout.ports.catalogOps)}/metrics`;
    const data = await (await fetch(url)).text();
    return Number(/tollgate_alert_evaluation_seconds_count\S* (\d+)/.exec(data)?.[1]);
  };
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
  await eventually('the second request is booked', async () => {
    const { data } = await gateway.rest.get(`${tenant.base}/usage/records`);
    return (data as { data: unknown[] }).data.length === 2;
  });
  const before = await evaluations();
  await eventually('two further evaluations', async () => (await evaluations()) >= before + 2);

  expect(await log()).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
  const [message] = receiver.received;
  const headers = message?.headers as Record<string, string>;
  expect(headers['webhook-id']).toBe(alert.id);
  expect(new Webhook(hook.secret ?? '').verify(message?.body ?? '', headers)).toMatchObject({
    type: 'alert.raised',
    data: { id: alert.id, title: alert.title },
  });
  const letters = mailbox.lettersTo('ops@example.com');
  expect(letters).toHaveLength(1);
  expect(letters[0]).toContain(`/${tenant.slug}/alerts?alert=${alert.id}`);
});

import { createHmac } from 'node:crypto';

import {
  linesOf,
  listen,
  misbehave,
  type Line,
  type Listening,
  type Misbehaviour,
} from './receive';

export interface Delivery {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly number: number | undefined;
  readonly recordType: string;
  readonly body: Buffer;
  readonly lines: Line[];
  /** Whether it was answered with success. */
  readonly accepted: boolean;
}

export interface WebhookReceiver extends Listening {
  /** Every delivery that arrived whole and with a valid signature, accepted or not. */
  readonly deliveries: Delivery[];
  /** Deliveries whose signature is wrong. */
  readonly forged: number;
}

export interface WebhookReceiverOptions {
  /** `whsec_…`; may be set after the start, when the gateway has generated it. */
  readonly secret: () => string;
  /** LOST: accepted, and the connection is closed instead of an answer. */
  readonly fault?: (delivery: Delivery) => Fault | Promise<Fault>;
}

type Fault = Misbehaviour | 'LOST' | undefined;

/** A receiver of signed NDJSON that may fail. */
export async function startWebhookReceiver(
  options: WebhookReceiverOptions,
): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  let forged = 0;
  const server = await listen(({ headers }, body, response) => {
    const header = (name: string): string => String(headers[name] ?? '');
    const key = Buffer.from(options.secret().replace(/^whsec_/, ''), 'base64');
    const text = `${header('webhook-id')}.${header('webhook-timestamp')}.`;
    const hmac = createHmac('sha256', key).update(text).update(body).digest('base64');
    if (!header('webhook-signature').split(' ').includes(`v1,${hmac}`)) {
      forged += 1;
      response.writeHead(401).end();
      return;
    }
    const number = headers['tollgate-batch-number'];
    const arrived: Delivery = {
      id: header('webhook-id'),
      number: number === undefined ? undefined : Number(number),
      recordType: header('tollgate-record-type'),
      body,
      lines: linesOf(body, headers['content-encoding']),
      accepted: true,
    };
    void Promise.resolve(options.fault?.(arrived)).then((how) => {
      deliveries.push({ ...arrived, accepted: how === undefined || how === 'LOST' });
      if (how === 'LOST') response.destroy();
      else if (!misbehave(how, response)) response.writeHead(204).end();
    });
  });
  return {
    ...server,
    deliveries,
    get forged() {
      return forged;
    },
  };
}

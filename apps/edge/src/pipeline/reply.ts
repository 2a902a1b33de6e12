import type { AnsweredExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { replyStream } from '../reply/stream';
import { replyUnary } from '../reply/unary';

/** Sends the upstream's answer on. */
export function reply(gateway: Gateway, exchange: AnsweredExchange): Promise<void> | undefined {
  const { answer } = exchange;
  if (answer.kind === 'stream') return replyStream(gateway, exchange, answer);
  return replyUnary(gateway, exchange, answer);
}

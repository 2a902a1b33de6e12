import type { Ticket } from '../holds/ticket';
import { SUBJECT } from './contexts';

/** Of a request without limits and candidates. */
export const TICKET: Ticket = {
  shard: 7,
  keySha256: Buffer.alloc(32),
  subject: SUBJECT,
  timeZone: 'UTC',
  operation: 'chat',
  route: '',
  clientRequestId: '',
  inputTokens: 1,
  audioInputTokens: 0,
  units: {},
  choices: 1,
  heldOutputTokens: 1,
  heldNanoUsd: 1n,
  outputPrice: 1n,
  clamped: false,
  step: 0,
  candidates: [],
  limits: [],
};

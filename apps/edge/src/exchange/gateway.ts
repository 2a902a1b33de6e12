import type { Logger } from '@tollgate/kit';
import type { BackgroundKeeper } from './background-response';
import type { ByteBudget } from '../intake';
import type { JsonParser } from '../json/parser';
import type { TokenCounter } from '../tokeniser';
import type { EdgeMetrics } from '../ops/metrics';
import type { Policy } from '../policy';
import type { Uploads } from '../uploads';
import type { Connections } from '../upstream/connections';

/** What every request uses. */
export type Gateway = {
  policy: Pick<Policy, 'authorize' | 'confirmKey' | 'openHold' | 'settle' | 'report' | 'refused'>;
  uploads: Uploads;
  /** What request bodies take in memory. */
  bodies: ByteBudget;
  /** What answers take that are read whole. */
  answers: ByteBudget;
  json: Pick<JsonParser, 'parse' | 'write'>;
  /** For what no provider has counted. */
  tokens: Pick<TokenCounter, 'count'>;
  /** Responses that providers generate in the background. */
  background: Pick<BackgroundKeeper, 'hasRoom' | 'keep'>;
  connections: Pick<Connections, 'get'>;
  metrics: EdgeMetrics;
  log: Logger;
  limits: GatewayLimits;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
};

export type GatewayLimits = {
  bodyBytes: number;
  bodyDepth: number;
  responseBytes: number;
  /** Of an answer that is read whole. */
  answerBytes: number;
};

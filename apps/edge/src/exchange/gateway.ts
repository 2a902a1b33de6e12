import type { Logger } from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';

import type { DryRuns } from '../dry-run/dry-runs';
import type { ByteBudget } from '../intake';
import type { JsonParser } from '../json/parser';
import type { EdgeMetrics } from '../ops/metrics';
import type { Policy } from '../policy';
import type { RefusedReporter } from '../refusals/reporter';
import type { ResponseCache } from '../response-cache';
import type { Shadows } from '../shadows';
import type { TokenCounter } from '../tokeniser';
import type { Uploads } from '../uploads';
import type { Connections } from '../upstream/connections';
import type { BackgroundKeeper } from './background-response';
import type { BodyKeeper } from './kept-bodies';
import type { ScreeningPrograms } from './screening';
import type { ContentRoom } from './trace-content';

/** The dependencies shared by all requests. */
export interface Gateway {
  policy: Pick<Policy, 'authorize' | 'confirmKey' | 'release' | 'settle' | 'report' | 'refused'>;
  /** Asks what would be decided. */
  dryRuns: DryRuns;
  uploads: Uploads;
  /** Memory budget of request bodies. */
  bodies: ByteBudget;
  /** Memory budget of buffered answers. */
  answers: ByteBudget;
  json: Pick<JsonParser, 'parse' | 'write'>;
  /** Counts tokens that no provider has counted. */
  tokens: Pick<TokenCounter, 'count'>;
  /** Tracks responses that providers generate in the background. */
  background: Pick<BackgroundKeeper, 'claim' | 'keep' | 'ended'>;
  /** Undefined: no answer is kept. */
  responseCache: ResponseCache | undefined;
  /** Masks and stores bodies of requests. */
  keptBodies: BodyKeeper;
  /** Repeats requests at the second model of an experiment. */
  shadows: Shadows;
  connections: Pick<Connections, 'get'>;
  screening: ScreeningPrograms;
  metrics: EdgeMetrics;
  /** Counts refused and failed requests for the console. */
  refusals: Pick<RefusedReporter, 'note'>;
  /** Undefined: nothing is traced. */
  tracing: Tracing | undefined;
  /** Bounds the texts that are kept for traces. */
  traceContent: ContentRoom;
  log: Logger;
  limits: GatewayLimits;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
  /** The turns of a conversation go to the same candidate and key while these are usable. */
  affinity: boolean;
}

export interface GatewayLimits {
  bodyBytes: number;
  bodyDepth: number;
  responseBytes: number;
  /** Limit of an answer that is buffered whole. */
  answerBytes: number;
  /** Interval of keep-alives on streams that may be silent. */
  keepAliveMs: number;
}

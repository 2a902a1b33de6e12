// The base of every service: configuration, log, metrics, order of stopping, HTTP and gRPC servers,
// and small utilities with one right implementation (ids, clocks, deadlines, breakers). It knows
// nothing of gateways, keys or money.
export { createBoundedCache, type BoundedCache } from './bounded-cache';
export { BreakerOpenError, createBreaker, type Breaker, type BreakerState } from './breaker';
export { systemClock, type Clock } from './clock';
export { ConfigError, describeConfig, readConfig, type ConfigRow, type Env } from './config';
export {
  callerShape,
  grpcShape,
  namesTenants,
  publicMetricsShape,
  serviceShape,
  tenantMetricsShape,
} from './config-shapes';
export { DeadlineError, withDeadline } from './deadline';
export { doublingDelay } from './doubling-delay';
export { envVar, type ConfigOf, type ConfigShape, type EnvVar } from './env-var';
export {
  callUnary,
  createGrpcClient,
  grpcChannel,
  openStream,
  type CallUnaryOptions,
  type GrpcChannel,
  type GrpcChannelOptions,
} from './grpc-client';
export {
  GrpcFailure,
  duplex,
  grpcStatus,
  serverStream,
  unary,
  type GrpcHandler,
  type GrpcStatus,
  type StreamContext,
  type UnaryContext,
} from './grpc-handler';
export {
  serveGrpc,
  type GrpcServer,
  type GrpcServerLimits,
  type GrpcServerOptions,
  type GrpcService,
} from './grpc-server';
export { grpcTls, type TlsFiles } from './grpc-tls';
export { healthChecks, type HealthCheck, type HealthReport, type HealthResult } from './health';
export {
  listenHttp,
  type HttpDrain,
  type HttpLimits,
  type HttpServer,
  type HttpServerOptions,
  type Upgrades,
} from './http-server';
export { createLifecycle, RETIRED, type Lifecycle } from './lifecycle';
export { LOG_LEVELS, createLogger, type LogFields, type LogLevel, type Logger } from './logger';
export { createLoopClock, type LoopClock } from './loop-clock';
export { isLoopback } from './loopback';
export { createMetrics, type Across, type Metrics, type Reading } from './metrics';
export { listenOps, type OpsReport, type OpsServerOptions } from './ops-server';
export { redact } from './redact';
export { createRestarts, type Restart, type RestartLimits, type Restarts } from './restarts';
export { safeEqual } from './safe-equal';
export {
  createCallerOf,
  ownToken,
  parseTokens,
  tokensOf,
  type CallerOf,
  type ServiceTokens,
} from './service-tokens';
export { tuneForShortLivedObjects } from './short-lived-objects';
export { collectStartGarbage } from './start-garbage';
export { singleFlight, type SingleFlight } from './single-flight';
export { TransientMap } from './transient-map';
export { uuidv7, uuidv7Floor, uuidv7Time } from './uuidv7';
export {
  isWorker,
  isPrimaryOfWorkers,
  superviseWorkers,
  reportReady,
  workerId,
  type WorkersOptions,
} from './workers';
export { createTokenSource, type IssuedToken, type TokenSource } from './token-source';

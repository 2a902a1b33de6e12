// Real servers for development and tests: PostgreSQL from npm, Redis from the machine or npm.
export { type Heap, type HeapUse, openHeap, WITH_INSPECTOR } from './heap';
export { freePort, portTaken } from './ports';
export { type ServerProcess, spawnServer, until } from './process';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres';
export { type PreparedCluster, startPreparedPostgres } from './prepared-postgres';
export {
  type RedisOptions,
  type RedisServer,
  redisCommand,
  startJsRedis,
  startRedis,
  startRedisCluster,
} from './redis';

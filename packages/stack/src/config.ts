import { envVar } from '@tollgate/kit';

/** Variables of the launcher behind `npm start`. */
export const configShape = {
  EDGE_PORT: envVar.port({ default: 8080, description: 'HTTP port of the edge' }),
  CATALOG_PORT: envVar.port({ default: 8081, description: 'HTTP port of the catalog' }),
  EDGE_OPS_PORT: envVar.port({ default: 8083, description: 'Port for operators of the edge' }),
  CATALOG_OPS_PORT: envVar.port({
    default: 8084,
    description: 'Port for operators of the catalog',
  }),
  ADMIN_PORT: envVar.port({ default: 3000, description: 'HTTP port of the console' }),
  POLICY_GRPC_PORT: envVar.port({ default: 50051, description: 'gRPC port of the policy service' }),
  POLICY_HTTP_PORT: envVar.port({
    default: 8082,
    description: "HTTP port of the policy service's health and metrics",
  }),
  CATALOG_GRPC_PORT: envVar.port({ default: 50052, description: 'gRPC port of the catalog' }),
  RUNNER_PORT: envVar.port({ default: 8085, description: 'HTTP port of the runner' }),
  RUNNER_OPS_PORT: envVar.port({ default: 8086, description: 'Port for operators of the runner' }),
  SIMULATOR_PORT: envVar.port({ default: 9090, description: 'HTTP port of the simulator' }),
  STATE_DIR: envVar.string({
    default: '.local',
    description: 'Folder for data, logs and secrets of npm start.',
  }),
  DATABASE_URL: envVar.url({
    optional: true,
    secret: true,
    protocols: ['postgres', 'postgresql'],
    description: 'PostgreSQL to use instead of the one that comes from npm',
  }),
  REDIS_URL: envVar.url({
    optional: true,
    secret: true,
    protocols: ['redis', 'rediss'],
    description: 'Redis to use instead of one from the PATH or from npm',
  }),
  REDIS_CLUSTER: envVar.bool({
    default: false,
    description: 'Whether REDIS_URL is a Redis Cluster.',
  }),
  OPENAI_API_KEY: envVar.secret({
    optional: true,
    description: 'Key of OpenAI; adds it as a provider of the demo organisation.',
  }),
  ANTHROPIC_API_KEY: envVar.secret({
    optional: true,
    description: 'Key of Anthropic; adds it as a provider of the demo organisation.',
  }),
  GEMINI_API_KEY: envVar.secret({
    optional: true,
    description: 'Key of Gemini; adds it as a provider of the demo organisation.',
  }),
  VLLM_BASE_URL: envVar.string({
    optional: true,
    description: 'Base URL of a vLLM server; adds it as a provider of the demo organisation.',
  }),
  VLLM_MODEL: envVar.string({
    optional: true,
    description: 'The model of the vLLM server to use. Unset: the first one that it lists.',
  }),
};

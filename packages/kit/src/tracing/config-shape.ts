import { envVar } from '../env-var';
import { parsePairs } from './pairs';
import { SAMPLERS } from './sampler';
import { OTLP_PROTOCOLS } from './span';

/** For services with spans of their own, by the names that OpenTelemetry gives the variables. */
export const tracingShape = {
  OTEL_EXPORTER_OTLP_ENDPOINT: envVar.url({
    optional: true,
    protocols: ['http', 'https'],
    description:
      'Where spans are sent, as http://collector:4318; over HTTP /v1/traces is added. Unset: nothing is traced.',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: envVar.choice({
    choices: OTLP_PROTOCOLS,
    default: 'http/protobuf',
    description: 'How they are sent; grpc usually has the port 4317.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: envVar.secret({
    default: '',
    check: (text) => void parsePairs(text),
    description:
      'Headers for the collector, as name=value,name=value; commas in a value are written %2C.',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: envVar.durationMs({
    default: 10_000,
    min: 1,
    description: 'How long the collector may take for a batch; then its spans are dropped.',
  }),
  OTEL_BSP_MAX_QUEUE_SIZE: envVar.int({
    default: 16_384,
    min: 64,
    max: 1_048_576,
    unit: 'spans',
    description:
      'How many spans wait for the collector at most, and never more than 16 MiB of them; further ones are dropped.',
  }),
  OTEL_BSP_SCHEDULE_DELAY: envVar.durationMs({
    default: 5_000,
    min: 1,
    description:
      'How long a span waits for others, unless 512 are there first. Each batch costs about a millisecond.',
  }),
  OTEL_EXPORTER_OTLP_CERTIFICATE: envVar.string({
    default: '',
    description: "PEM file of the authority that signs the collector. Unset: the system's.",
  }),
  OTEL_TRACES_SAMPLER: envVar.choice({
    choices: SAMPLERS,
    default: 'parentbased_always_on',
    description: 'Which requests are traced.',
  }),
  OTEL_TRACES_SAMPLER_ARG: envVar.string({
    default: '1',
    check: (text) => {
      const ratio = Number(text);
      if (!/^\d*\.?\d+$/.test(text) || ratio > 1) throw new RangeError('must be from 0 to 1');
    },
    description: 'The part of requests that the samplers with traceidratio trace, from 0 to 1.',
  }),
  TRACE_TRUST_CALLERS: envVar.bool({
    default: true,
    description:
      "Whether the sampled flag of a caller's traceparent has a request traced that the ratio would leave out. It never does so for unknown keys.",
  }),
  OTEL_SERVICE_NAME: envVar.string({
    default: '',
    description:
      'service.name of the spans. Unset: tollgate-edge, tollgate-policy, tollgate-catalog.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: envVar.string({
    default: '',
    check: (text) => void parsePairs(text),
    description: 'Attributes of the process, as deployment.environment.name=production,….',
  }),
  OTEL_SDK_DISABLED: envVar.bool({
    default: false,
    description: 'Switches tracing off, whatever the endpoint is.',
  }),
};

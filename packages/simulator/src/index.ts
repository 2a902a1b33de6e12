// An upstream for development and tests: it speaks the vendors' formats, gives predictable answers,
// misbehaves on request, and keeps its own bill. It shares no code with the gateway's codecs or
// price tables, so that a mistake there is not repeated here.
//
// Routes: routes.ts, one row each; formats/ has the chat formats, operations/ the rest. Answers:
// answer.ts. Counting: tokens.ts. Faults: directives.ts, applied by delivery.ts. MCP servers: mcp/.

export { startSimulator, type Simulator } from './simulator';
export { configShape, type Config } from './config';
export { countTokens } from './tokens';
export type { Bill, BillLine, BilledUnits, BilledUsage } from './bill';
export type { CloudCounts, CloudSettings } from './clouds';
export { checkAwsSignature, type SignedRequest } from './clouds/aws-signature';
export { exceptionFrame, frameOf } from './clouds/event-stream';
export type { CallCount, ReceivedMcpRequest } from './mcp';
export type { ReceivedRequest } from './received';
export { startOtlpReceiver, type OtlpReceiver } from './otlp/receiver';
export type { ReceivedSpan } from './otlp/spans';
export {
  startStorage,
  startWebhookReceiver,
  type Delivery,
  type Line,
  type StorageServer,
  type WebhookReceiver,
} from './receivers';

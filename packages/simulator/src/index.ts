// An upstream to develop and test against: it speaks the vendors' formats, gives answers that can be
// foretold, misbehaves on request, and keeps its own bill. It shares no code with the gateway's
// codecs or price tables, so that a mistake there cannot hide by being made here too.
//
// What it serves: routes.ts, one row per route; formats/ has the chat formats, operations/ the rest.
// What it answers: answer.ts. How it counts: tokens.ts. How to make it misbehave: directives.ts,
// carried out by delivery.ts.

export { startSimulator, type Simulator } from './simulator';
export { configShape, type Config } from './config';
export { countTokens } from './tokens';
export type { Bill, BillLine, BilledUnits, BilledUsage } from './bill';
export type { ReceivedRequest } from './received';

/** Requests drawn from the served OpenAPI document, and what every answer has to keep. */
export { readDocument, type Document, type Operation } from './document';
export { requestOf, type Drawn } from './requests';
export { createFuzzer, type Fuzzer } from './fuzzer';

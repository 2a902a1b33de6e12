/** Draws requests from the served OpenAPI document, and checks what every answer must satisfy. */
export { readDocument, type Document, type Operation } from './document';
export { requestOf, type Drawn } from './requests';
export { createFuzzer, type Fuzzer } from './fuzzer';

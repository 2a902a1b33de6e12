// Headers in which a client repeats fields of its JSON-RPC message, as MCP's revision 2026-07-28 asks.
// Decisions are made on the body alone; here is checked that the headers say the same. Pure.

export { eraOf, protocolVersionOf, type Era } from './era';
export type { HeaderLines } from './header-lines';
export { HEADER_MISMATCH_CODE, type HeaderMismatch } from './mismatch';
export { checkModernHeaders, type CheckedMessage } from './modern-headers';
export { paramHeadersOf, type ParamHeader } from './param-headers';
export { decodeSentinel, encodeSentinel } from './sentinel';

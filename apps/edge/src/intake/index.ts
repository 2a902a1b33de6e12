// Receives bodies: reads them if their key allows it, keeps them within a budget, and parses them
// as JSON within limits. Their meaning belongs to `operations` and `formats`.

export { createByteBudget, type ByteBudget, type ByteLease } from './byte-budget';
export { parseBody, parseSmallBody, type JsonBody } from './json-body';
export { packingOf, readPackedBody, refusePackedForm } from './packed-body';
export {
  bodyTooLarge,
  ClientGone,
  OPEN_BYTES,
  readBody,
  readSmallBody,
  takeRoom,
} from './read-body';

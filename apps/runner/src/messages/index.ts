// JSON-RPC as text: reading what a message is, and changing single values without touching the rest.
export {
  cancelText,
  errorText,
  META_SUBSCRIPTION,
  readMessage,
  type Message,
  type RequestId,
} from './message';
export { replaceValues, type Replacement } from './replace-values';

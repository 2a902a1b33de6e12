// Tools whose definition may not change: what servers say of them now, against the pins.

export {
  createPinBook,
  type PinBook,
  type PinListing,
  type PinnedServer,
  type PinVerdict,
} from './pin-book';
export { readAllTools, type AskTools } from './read-tools';

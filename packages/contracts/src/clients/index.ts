// Promise-based clients for internal callers: messages are those of the protos, every call has a
// deadline, and failures are typed errors. Nothing here retries.
export { uuidv7 as newRequestId } from '@tollgate/kit';
export { DEPENDENCY_TRAILER, PolicyError, type PolicyErrorCode } from './policy-error';
export {
  createPolicyClient,
  type PolicyApi,
  type PolicyCallOptions,
  type PolicyClientOptions,
} from './policy';

// Clients of the services as promises, for whoever calls them from inside: messages are those of the
// protos, every call has a deadline, and what fails is a typed error. What an answer means is the
// caller's business; nothing here sends anything twice.
export { uuidv7 as newRequestId } from '@tollgate/kit';
export { DEPENDENCY_TRAILER, PolicyError, type PolicyErrorCode } from './policy-error';
export {
  createPolicyClient,
  type PolicyApi,
  type PolicyCallOptions,
  type PolicyClientOptions,
} from './policy';

// Original file: protos/tollgate/policy/v1/policy.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AuthorizeReply as _tollgate_policy_v1_AuthorizeReply, AuthorizeReply__Output as _tollgate_policy_v1_AuthorizeReply__Output } from '../../../tollgate/policy/v1/AuthorizeReply';
import type { AuthorizeRequest as _tollgate_policy_v1_AuthorizeRequest, AuthorizeRequest__Output as _tollgate_policy_v1_AuthorizeRequest__Output } from '../../../tollgate/policy/v1/AuthorizeRequest';
import type { DryRunReply as _tollgate_policy_v1_DryRunReply, DryRunReply__Output as _tollgate_policy_v1_DryRunReply__Output } from '../../../tollgate/policy/v1/DryRunReply';
import type { ExtendReply as _tollgate_policy_v1_ExtendReply, ExtendReply__Output as _tollgate_policy_v1_ExtendReply__Output } from '../../../tollgate/policy/v1/ExtendReply';
import type { ExtendRequest as _tollgate_policy_v1_ExtendRequest, ExtendRequest__Output as _tollgate_policy_v1_ExtendRequest__Output } from '../../../tollgate/policy/v1/ExtendRequest';
import type { HealthReply as _tollgate_policy_v1_HealthReply, HealthReply__Output as _tollgate_policy_v1_HealthReply__Output } from '../../../tollgate/policy/v1/HealthReply';
import type { HealthRequest as _tollgate_policy_v1_HealthRequest, HealthRequest__Output as _tollgate_policy_v1_HealthRequest__Output } from '../../../tollgate/policy/v1/HealthRequest';
import type { InvalidateReply as _tollgate_policy_v1_InvalidateReply, InvalidateReply__Output as _tollgate_policy_v1_InvalidateReply__Output } from '../../../tollgate/policy/v1/InvalidateReply';
import type { InvalidateRequest as _tollgate_policy_v1_InvalidateRequest, InvalidateRequest__Output as _tollgate_policy_v1_InvalidateRequest__Output } from '../../../tollgate/policy/v1/InvalidateRequest';
import type { SessionReply as _tollgate_policy_v1_SessionReply, SessionReply__Output as _tollgate_policy_v1_SessionReply__Output } from '../../../tollgate/policy/v1/SessionReply';
import type { SessionRequest as _tollgate_policy_v1_SessionRequest, SessionRequest__Output as _tollgate_policy_v1_SessionRequest__Output } from '../../../tollgate/policy/v1/SessionRequest';
import type { SettleReply as _tollgate_policy_v1_SettleReply, SettleReply__Output as _tollgate_policy_v1_SettleReply__Output } from '../../../tollgate/policy/v1/SettleReply';
import type { SettleRequest as _tollgate_policy_v1_SettleRequest, SettleRequest__Output as _tollgate_policy_v1_SettleRequest__Output } from '../../../tollgate/policy/v1/SettleRequest';
import type { ValidateKeyReply as _tollgate_policy_v1_ValidateKeyReply, ValidateKeyReply__Output as _tollgate_policy_v1_ValidateKeyReply__Output } from '../../../tollgate/policy/v1/ValidateKeyReply';
import type { ValidateKeyRequest as _tollgate_policy_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _tollgate_policy_v1_ValidateKeyRequest__Output } from '../../../tollgate/policy/v1/ValidateKeyRequest';

/**
 * Decisions about requests: may this key make this call, what is held for it, and what did it cost.
 * Any internal service may call the unary methods; the edge uses Session, which carries the same messages
 * in batches.
 * 
 * A refusal is data (`Denial`). A gRPC error means that the service or a dependency is broken:
 * UNAVAILABLE (a dependency is unreachable), DEADLINE_EXCEEDED, UNAUTHENTICATED (no service
 * token), PERMISSION_DENIED (this token may not call this method), INVALID_ARGUMENT (the message
 * names the field), RESOURCE_EXHAUSTED (the ledger buffer is full). The trailer
 * `tollgate-dependency` of an error names the broken part: redis, catalog or policy.
 */
export interface PolicyServiceClient extends grpc.Client {
  /**
   * Decides a request and, when it is allowed, takes every hold it needs or none of them.
   * Idempotent by request_id while the hold lives. Retry a failed unary call with a new request_id: a hold
   * that the failed call may have taken is released.
   */
  Authorize(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _tollgate_policy_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _tollgate_policy_v1_AuthorizeRequest, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  /**
   * Decides a request and, when it is allowed, takes every hold it needs or none of them.
   * Idempotent by request_id while the hold lives. Retry a failed unary call with a new request_id: a hold
   * that the failed call may have taken is released.
   */
  authorize(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  authorize(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  authorize(argument: _tollgate_policy_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  authorize(argument: _tollgate_policy_v1_AuthorizeRequest, callback: grpc.requestCallback<_tollgate_policy_v1_AuthorizeReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Says what Authorize would answer now, and why. Takes no hold, counts nothing, and is in no record, no report
   * and no list of refusals; takes neither a routing turn nor a probe. Like Authorize, it may read counters from the
   * books that Redis does not have.
   */
  DryRun(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  DryRun(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  DryRun(argument: _tollgate_policy_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  DryRun(argument: _tollgate_policy_v1_AuthorizeRequest, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  /**
   * Says what Authorize would answer now, and why. Takes no hold, counts nothing, and is in no record, no report
   * and no list of refusals; takes neither a routing turn nor a probe. Like Authorize, it may read counters from the
   * books that Redis does not have.
   */
  dryRun(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  dryRun(argument: _tollgate_policy_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  dryRun(argument: _tollgate_policy_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  dryRun(argument: _tollgate_policy_v1_AuthorizeRequest, callback: grpc.requestCallback<_tollgate_policy_v1_DryRunReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Renews a hold's lease and adds to the held amounts.
   */
  Extend(argument: _tollgate_policy_v1_ExtendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  Extend(argument: _tollgate_policy_v1_ExtendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  Extend(argument: _tollgate_policy_v1_ExtendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  Extend(argument: _tollgate_policy_v1_ExtendRequest, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  /**
   * Renews a hold's lease and adds to the held amounts.
   */
  extend(argument: _tollgate_policy_v1_ExtendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  extend(argument: _tollgate_policy_v1_ExtendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  extend(argument: _tollgate_policy_v1_ExtendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  extend(argument: _tollgate_policy_v1_ExtendRequest, callback: grpc.requestCallback<_tollgate_policy_v1_ExtendReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Whether this process can decide, and the state of each dependency.
   */
  Health(argument: _tollgate_policy_v1_HealthRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  Health(argument: _tollgate_policy_v1_HealthRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  Health(argument: _tollgate_policy_v1_HealthRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  Health(argument: _tollgate_policy_v1_HealthRequest, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  /**
   * Whether this process can decide, and the state of each dependency.
   */
  health(argument: _tollgate_policy_v1_HealthRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  health(argument: _tollgate_policy_v1_HealthRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  health(argument: _tollgate_policy_v1_HealthRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  health(argument: _tollgate_policy_v1_HealthRequest, callback: grpc.requestCallback<_tollgate_policy_v1_HealthReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Drops cached key contexts, so that the next decision reads them again.
   */
  Invalidate(argument: _tollgate_policy_v1_InvalidateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  Invalidate(argument: _tollgate_policy_v1_InvalidateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  Invalidate(argument: _tollgate_policy_v1_InvalidateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  Invalidate(argument: _tollgate_policy_v1_InvalidateRequest, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  /**
   * Drops cached key contexts, so that the next decision reads them again.
   */
  invalidate(argument: _tollgate_policy_v1_InvalidateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  invalidate(argument: _tollgate_policy_v1_InvalidateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  invalidate(argument: _tollgate_policy_v1_InvalidateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  invalidate(argument: _tollgate_policy_v1_InvalidateRequest, callback: grpc.requestCallback<_tollgate_policy_v1_InvalidateReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Batches of authorize, extend, settle and confirm_key items with correlation ids; replies in any
   * order. Once a reply has named a float, the session has a frame at least every 250 ms. A caller that gets
   * none for a second closes the session, takes nothing more from it, and adopts its holds of floats elsewhere.
   */
  Session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionReply__Output>;
  Session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionReply__Output>;
  /**
   * Batches of authorize, extend, settle and confirm_key items with correlation ids; replies in any
   * order. Once a reply has named a float, the session has a frame at least every 250 ms. A caller that gets
   * none for a second closes the session, takes nothing more from it, and adopts its holds of floats elsewhere.
   */
  session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionReply__Output>;
  session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionReply__Output>;
  
  /**
   * Ends a hold: charges the usage (SETTLED) or releases everything (CANCELLED).
   */
  Settle(argument: _tollgate_policy_v1_SettleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  Settle(argument: _tollgate_policy_v1_SettleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  Settle(argument: _tollgate_policy_v1_SettleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  Settle(argument: _tollgate_policy_v1_SettleRequest, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  /**
   * Ends a hold: charges the usage (SETTLED) or releases everything (CANCELLED).
   */
  settle(argument: _tollgate_policy_v1_SettleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  settle(argument: _tollgate_policy_v1_SettleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  settle(argument: _tollgate_policy_v1_SettleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  settle(argument: _tollgate_policy_v1_SettleRequest, callback: grpc.requestCallback<_tollgate_policy_v1_SettleReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Says whom a key belongs to, what it may use and what is left of every limit. Takes no hold and
   * counts nothing.
   */
  ValidateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  /**
   * Says whom a key belongs to, what it may use and what is left of every limit. Takes no hold and
   * counts nothing.
   */
  validateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _tollgate_policy_v1_ValidateKeyRequest, callback: grpc.requestCallback<_tollgate_policy_v1_ValidateKeyReply__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Decisions about requests: may this key make this call, what is held for it, and what did it cost.
 * Any internal service may call the unary methods; the edge uses Session, which carries the same messages
 * in batches.
 * 
 * A refusal is data (`Denial`). A gRPC error means that the service or a dependency is broken:
 * UNAVAILABLE (a dependency is unreachable), DEADLINE_EXCEEDED, UNAUTHENTICATED (no service
 * token), PERMISSION_DENIED (this token may not call this method), INVALID_ARGUMENT (the message
 * names the field), RESOURCE_EXHAUSTED (the ledger buffer is full). The trailer
 * `tollgate-dependency` of an error names the broken part: redis, catalog or policy.
 */
export interface PolicyServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Decides a request and, when it is allowed, takes every hold it needs or none of them.
   * Idempotent by request_id while the hold lives. Retry a failed unary call with a new request_id: a hold
   * that the failed call may have taken is released.
   */
  Authorize: grpc.handleUnaryCall<_tollgate_policy_v1_AuthorizeRequest__Output, _tollgate_policy_v1_AuthorizeReply>;
  
  /**
   * Says what Authorize would answer now, and why. Takes no hold, counts nothing, and is in no record, no report
   * and no list of refusals; takes neither a routing turn nor a probe. Like Authorize, it may read counters from the
   * books that Redis does not have.
   */
  DryRun: grpc.handleUnaryCall<_tollgate_policy_v1_AuthorizeRequest__Output, _tollgate_policy_v1_DryRunReply>;
  
  /**
   * Renews a hold's lease and adds to the held amounts.
   */
  Extend: grpc.handleUnaryCall<_tollgate_policy_v1_ExtendRequest__Output, _tollgate_policy_v1_ExtendReply>;
  
  /**
   * Whether this process can decide, and the state of each dependency.
   */
  Health: grpc.handleUnaryCall<_tollgate_policy_v1_HealthRequest__Output, _tollgate_policy_v1_HealthReply>;
  
  /**
   * Drops cached key contexts, so that the next decision reads them again.
   */
  Invalidate: grpc.handleUnaryCall<_tollgate_policy_v1_InvalidateRequest__Output, _tollgate_policy_v1_InvalidateReply>;
  
  /**
   * Batches of authorize, extend, settle and confirm_key items with correlation ids; replies in any
   * order. Once a reply has named a float, the session has a frame at least every 250 ms. A caller that gets
   * none for a second closes the session, takes nothing more from it, and adopts its holds of floats elsewhere.
   */
  Session: grpc.handleBidiStreamingCall<_tollgate_policy_v1_SessionRequest__Output, _tollgate_policy_v1_SessionReply>;
  
  /**
   * Ends a hold: charges the usage (SETTLED) or releases everything (CANCELLED).
   */
  Settle: grpc.handleUnaryCall<_tollgate_policy_v1_SettleRequest__Output, _tollgate_policy_v1_SettleReply>;
  
  /**
   * Says whom a key belongs to, what it may use and what is left of every limit. Takes no hold and
   * counts nothing.
   */
  ValidateKey: grpc.handleUnaryCall<_tollgate_policy_v1_ValidateKeyRequest__Output, _tollgate_policy_v1_ValidateKeyReply>;
  
}

export interface PolicyServiceDefinition extends grpc.ServiceDefinition {
  Authorize: MethodDefinition<_tollgate_policy_v1_AuthorizeRequest, _tollgate_policy_v1_AuthorizeReply, _tollgate_policy_v1_AuthorizeRequest__Output, _tollgate_policy_v1_AuthorizeReply__Output>
  DryRun: MethodDefinition<_tollgate_policy_v1_AuthorizeRequest, _tollgate_policy_v1_DryRunReply, _tollgate_policy_v1_AuthorizeRequest__Output, _tollgate_policy_v1_DryRunReply__Output>
  Extend: MethodDefinition<_tollgate_policy_v1_ExtendRequest, _tollgate_policy_v1_ExtendReply, _tollgate_policy_v1_ExtendRequest__Output, _tollgate_policy_v1_ExtendReply__Output>
  Health: MethodDefinition<_tollgate_policy_v1_HealthRequest, _tollgate_policy_v1_HealthReply, _tollgate_policy_v1_HealthRequest__Output, _tollgate_policy_v1_HealthReply__Output>
  Invalidate: MethodDefinition<_tollgate_policy_v1_InvalidateRequest, _tollgate_policy_v1_InvalidateReply, _tollgate_policy_v1_InvalidateRequest__Output, _tollgate_policy_v1_InvalidateReply__Output>
  Session: MethodDefinition<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionReply, _tollgate_policy_v1_SessionRequest__Output, _tollgate_policy_v1_SessionReply__Output>
  Settle: MethodDefinition<_tollgate_policy_v1_SettleRequest, _tollgate_policy_v1_SettleReply, _tollgate_policy_v1_SettleRequest__Output, _tollgate_policy_v1_SettleReply__Output>
  ValidateKey: MethodDefinition<_tollgate_policy_v1_ValidateKeyRequest, _tollgate_policy_v1_ValidateKeyReply, _tollgate_policy_v1_ValidateKeyRequest__Output, _tollgate_policy_v1_ValidateKeyReply__Output>
}

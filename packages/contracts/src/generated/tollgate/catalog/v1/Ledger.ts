// Original file: protos/tollgate/catalog/v1/ledger.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AdvanceEpochRequest as _tollgate_catalog_v1_AdvanceEpochRequest, AdvanceEpochRequest__Output as _tollgate_catalog_v1_AdvanceEpochRequest__Output } from '../../../tollgate/catalog/v1/AdvanceEpochRequest';
import type { AppendReply as _tollgate_catalog_v1_AppendReply, AppendReply__Output as _tollgate_catalog_v1_AppendReply__Output } from '../../../tollgate/catalog/v1/AppendReply';
import type { AppendRequest as _tollgate_catalog_v1_AppendRequest, AppendRequest__Output as _tollgate_catalog_v1_AppendRequest__Output } from '../../../tollgate/catalog/v1/AppendRequest';
import type { CheckpointReply as _tollgate_catalog_v1_CheckpointReply, CheckpointReply__Output as _tollgate_catalog_v1_CheckpointReply__Output } from '../../../tollgate/catalog/v1/CheckpointReply';
import type { CheckpointRequest as _tollgate_catalog_v1_CheckpointRequest, CheckpointRequest__Output as _tollgate_catalog_v1_CheckpointRequest__Output } from '../../../tollgate/catalog/v1/CheckpointRequest';
import type { GetShardsReply as _tollgate_catalog_v1_GetShardsReply, GetShardsReply__Output as _tollgate_catalog_v1_GetShardsReply__Output } from '../../../tollgate/catalog/v1/GetShardsReply';
import type { GetShardsRequest as _tollgate_catalog_v1_GetShardsRequest, GetShardsRequest__Output as _tollgate_catalog_v1_GetShardsRequest__Output } from '../../../tollgate/catalog/v1/GetShardsRequest';
import type { KeepBodiesReply as _tollgate_catalog_v1_KeepBodiesReply, KeepBodiesReply__Output as _tollgate_catalog_v1_KeepBodiesReply__Output } from '../../../tollgate/catalog/v1/KeepBodiesReply';
import type { KeepBodiesRequest as _tollgate_catalog_v1_KeepBodiesRequest, KeepBodiesRequest__Output as _tollgate_catalog_v1_KeepBodiesRequest__Output } from '../../../tollgate/catalog/v1/KeepBodiesRequest';
import type { ReportDecisionsReply as _tollgate_catalog_v1_ReportDecisionsReply, ReportDecisionsReply__Output as _tollgate_catalog_v1_ReportDecisionsReply__Output } from '../../../tollgate/catalog/v1/ReportDecisionsReply';
import type { ReportDecisionsRequest as _tollgate_catalog_v1_ReportDecisionsRequest, ReportDecisionsRequest__Output as _tollgate_catalog_v1_ReportDecisionsRequest__Output } from '../../../tollgate/catalog/v1/ReportDecisionsRequest';
import type { ReportRefusedReply as _tollgate_catalog_v1_ReportRefusedReply, ReportRefusedReply__Output as _tollgate_catalog_v1_ReportRefusedReply__Output } from '../../../tollgate/catalog/v1/ReportRefusedReply';
import type { ReportRefusedRequest as _tollgate_catalog_v1_ReportRefusedRequest, ReportRefusedRequest__Output as _tollgate_catalog_v1_ReportRefusedRequest__Output } from '../../../tollgate/catalog/v1/ReportRefusedRequest';
import type { ReportReply as _tollgate_catalog_v1_ReportReply, ReportReply__Output as _tollgate_catalog_v1_ReportReply__Output } from '../../../tollgate/catalog/v1/ReportReply';
import type { ReportRequest as _tollgate_catalog_v1_ReportRequest, ReportRequest__Output as _tollgate_catalog_v1_ReportRequest__Output } from '../../../tollgate/catalog/v1/ReportRequest';
import type { ReportSoftLimitsReply as _tollgate_catalog_v1_ReportSoftLimitsReply, ReportSoftLimitsReply__Output as _tollgate_catalog_v1_ReportSoftLimitsReply__Output } from '../../../tollgate/catalog/v1/ReportSoftLimitsReply';
import type { ReportSoftLimitsRequest as _tollgate_catalog_v1_ReportSoftLimitsRequest, ReportSoftLimitsRequest__Output as _tollgate_catalog_v1_ReportSoftLimitsRequest__Output } from '../../../tollgate/catalog/v1/ReportSoftLimitsRequest';
import type { ShardState as _tollgate_catalog_v1_ShardState, ShardState__Output as _tollgate_catalog_v1_ShardState__Output } from '../../../tollgate/catalog/v1/ShardState';
import type { WindowTotalsReply as _tollgate_catalog_v1_WindowTotalsReply, WindowTotalsReply__Output as _tollgate_catalog_v1_WindowTotalsReply__Output } from '../../../tollgate/catalog/v1/WindowTotalsReply';
import type { WindowTotalsRequest as _tollgate_catalog_v1_WindowTotalsRequest, WindowTotalsRequest__Output as _tollgate_catalog_v1_WindowTotalsRequest__Output } from '../../../tollgate/catalog/v1/WindowTotalsRequest';

/**
 * The books. Called by policy only. Each of the 256 shards has a row with its epoch, the last committed
 * ledger number and a revision that rises with every correction.
 */
export interface LedgerClient extends grpc.Client {
  /**
   * Compare-and-set of a shard's epoch after Redis has lost data.
   */
  AdvanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  AdvanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  AdvanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  AdvanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  /**
   * Compare-and-set of a shard's epoch after Redis has lost data.
   */
  advanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  advanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  advanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  advanceEpoch(argument: _tollgate_catalog_v1_AdvanceEpochRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ShardState__Output>): grpc.ClientUnaryCall;
  
  /**
   * Commits entries prev+1 … last of one shard, in one transaction, exactly once.
   * A caller at another position commits nothing and gets the shard's position.
   */
  Append(argument: _tollgate_catalog_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  Append(argument: _tollgate_catalog_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  Append(argument: _tollgate_catalog_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  Append(argument: _tollgate_catalog_v1_AppendRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  /**
   * Commits entries prev+1 … last of one shard, in one transaction, exactly once.
   * A caller at another position commits nothing and gets the shard's position.
   */
  append(argument: _tollgate_catalog_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  append(argument: _tollgate_catalog_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  append(argument: _tollgate_catalog_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  append(argument: _tollgate_catalog_v1_AppendRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_AppendReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Holds older than five seconds, and holds that ended other than SETTLED.
   */
  Checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  Checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  Checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  Checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  /**
   * Holds older than five seconds, and holds that ended other than SETTLED.
   */
  checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  checkpoint(argument: _tollgate_catalog_v1_CheckpointRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_CheckpointReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * The shard's epoch, position and revision.
   */
  GetShards(argument: _tollgate_catalog_v1_GetShardsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  GetShards(argument: _tollgate_catalog_v1_GetShardsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  GetShards(argument: _tollgate_catalog_v1_GetShardsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  GetShards(argument: _tollgate_catalog_v1_GetShardsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  /**
   * The shard's epoch, position and revision.
   */
  getShards(argument: _tollgate_catalog_v1_GetShardsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  getShards(argument: _tollgate_catalog_v1_GetShardsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  getShards(argument: _tollgate_catalog_v1_GetShardsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  getShards(argument: _tollgate_catalog_v1_GetShardsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_GetShardsReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Bodies of requests whose organisation keeps them. Each is stored once; repeating it is a no-op. What the
   * organisation does not want any more is dropped.
   */
  KeepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  KeepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  KeepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  KeepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  /**
   * Bodies of requests whose organisation keeps them. Each is stored once; repeating it is a no-op. What the
   * organisation does not want any more is dropped.
   */
  keepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  keepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  keepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  keepBodies(argument: _tollgate_catalog_v1_KeepBodiesRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_KeepBodiesReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Statistics for people. Upstreams: changes of breakers and cooldowns; the latest change of each is kept
   * and repeating it is a no-op. Refusals: sums per key that are added to the stored ones, so a report that
   * is sent again after a lost reply counts twice.
   */
  Report(argument: _tollgate_catalog_v1_ReportRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  Report(argument: _tollgate_catalog_v1_ReportRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  Report(argument: _tollgate_catalog_v1_ReportRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  Report(argument: _tollgate_catalog_v1_ReportRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  /**
   * Statistics for people. Upstreams: changes of breakers and cooldowns; the latest change of each is kept
   * and repeating it is a no-op. Refusals: sums per key that are added to the stored ones, so a report that
   * is sent again after a lost reply counts twice.
   */
  report(argument: _tollgate_catalog_v1_ReportRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  report(argument: _tollgate_catalog_v1_ReportRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  report(argument: _tollgate_catalog_v1_ReportRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  report(argument: _tollgate_catalog_v1_ReportRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Decisions about requests of organisations that keep them. Repeating one is a no-op.
   */
  ReportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  /**
   * Decisions about requests of organisations that keep them. Repeating one is a no-op.
   */
  reportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _tollgate_catalog_v1_ReportDecisionsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportDecisionsReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * What edges have refused or failed, summed up. A report that is sent again after a lost reply counts twice.
   */
  ReportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  ReportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  ReportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  ReportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  /**
   * What edges have refused or failed, summed up. A report that is sent again after a lost reply counts twice.
   */
  reportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  reportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  reportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  reportRefused(argument: _tollgate_catalog_v1_ReportRefusedRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportRefusedReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Soft limits that allowed requests exceed. Each limit and window makes one audit event, however many
   * policies report it and how often.
   */
  ReportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  ReportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  ReportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  ReportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  /**
   * Soft limits that allowed requests exceed. Each limit and window makes one audit event, however many
   * policies report it and how often.
   */
  reportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  reportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  reportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  reportSoftLimits(argument: _tollgate_catalog_v1_ReportSoftLimitsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ReportSoftLimitsReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Totals of limit windows at one position and revision, for seeding counters.
   */
  WindowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  WindowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  WindowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  WindowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  /**
   * Totals of limit windows at one position and revision, for seeding counters.
   */
  windowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  windowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  windowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  windowTotals(argument: _tollgate_catalog_v1_WindowTotalsRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_WindowTotalsReply__Output>): grpc.ClientUnaryCall;
  
}

/**
 * The books. Called by policy only. Each of the 256 shards has a row with its epoch, the last committed
 * ledger number and a revision that rises with every correction.
 */
export interface LedgerHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Compare-and-set of a shard's epoch after Redis has lost data.
   */
  AdvanceEpoch: grpc.handleUnaryCall<_tollgate_catalog_v1_AdvanceEpochRequest__Output, _tollgate_catalog_v1_ShardState>;
  
  /**
   * Commits entries prev+1 … last of one shard, in one transaction, exactly once.
   * A caller at another position commits nothing and gets the shard's position.
   */
  Append: grpc.handleUnaryCall<_tollgate_catalog_v1_AppendRequest__Output, _tollgate_catalog_v1_AppendReply>;
  
  /**
   * Holds older than five seconds, and holds that ended other than SETTLED.
   */
  Checkpoint: grpc.handleUnaryCall<_tollgate_catalog_v1_CheckpointRequest__Output, _tollgate_catalog_v1_CheckpointReply>;
  
  /**
   * The shard's epoch, position and revision.
   */
  GetShards: grpc.handleUnaryCall<_tollgate_catalog_v1_GetShardsRequest__Output, _tollgate_catalog_v1_GetShardsReply>;
  
  /**
   * Bodies of requests whose organisation keeps them. Each is stored once; repeating it is a no-op. What the
   * organisation does not want any more is dropped.
   */
  KeepBodies: grpc.handleUnaryCall<_tollgate_catalog_v1_KeepBodiesRequest__Output, _tollgate_catalog_v1_KeepBodiesReply>;
  
  /**
   * Statistics for people. Upstreams: changes of breakers and cooldowns; the latest change of each is kept
   * and repeating it is a no-op. Refusals: sums per key that are added to the stored ones, so a report that
   * is sent again after a lost reply counts twice.
   */
  Report: grpc.handleUnaryCall<_tollgate_catalog_v1_ReportRequest__Output, _tollgate_catalog_v1_ReportReply>;
  
  /**
   * Decisions about requests of organisations that keep them. Repeating one is a no-op.
   */
  ReportDecisions: grpc.handleUnaryCall<_tollgate_catalog_v1_ReportDecisionsRequest__Output, _tollgate_catalog_v1_ReportDecisionsReply>;
  
  /**
   * What edges have refused or failed, summed up. A report that is sent again after a lost reply counts twice.
   */
  ReportRefused: grpc.handleUnaryCall<_tollgate_catalog_v1_ReportRefusedRequest__Output, _tollgate_catalog_v1_ReportRefusedReply>;
  
  /**
   * Soft limits that allowed requests exceed. Each limit and window makes one audit event, however many
   * policies report it and how often.
   */
  ReportSoftLimits: grpc.handleUnaryCall<_tollgate_catalog_v1_ReportSoftLimitsRequest__Output, _tollgate_catalog_v1_ReportSoftLimitsReply>;
  
  /**
   * Totals of limit windows at one position and revision, for seeding counters.
   */
  WindowTotals: grpc.handleUnaryCall<_tollgate_catalog_v1_WindowTotalsRequest__Output, _tollgate_catalog_v1_WindowTotalsReply>;
  
}

export interface LedgerDefinition extends grpc.ServiceDefinition {
  AdvanceEpoch: MethodDefinition<_tollgate_catalog_v1_AdvanceEpochRequest, _tollgate_catalog_v1_ShardState, _tollgate_catalog_v1_AdvanceEpochRequest__Output, _tollgate_catalog_v1_ShardState__Output>
  Append: MethodDefinition<_tollgate_catalog_v1_AppendRequest, _tollgate_catalog_v1_AppendReply, _tollgate_catalog_v1_AppendRequest__Output, _tollgate_catalog_v1_AppendReply__Output>
  Checkpoint: MethodDefinition<_tollgate_catalog_v1_CheckpointRequest, _tollgate_catalog_v1_CheckpointReply, _tollgate_catalog_v1_CheckpointRequest__Output, _tollgate_catalog_v1_CheckpointReply__Output>
  GetShards: MethodDefinition<_tollgate_catalog_v1_GetShardsRequest, _tollgate_catalog_v1_GetShardsReply, _tollgate_catalog_v1_GetShardsRequest__Output, _tollgate_catalog_v1_GetShardsReply__Output>
  KeepBodies: MethodDefinition<_tollgate_catalog_v1_KeepBodiesRequest, _tollgate_catalog_v1_KeepBodiesReply, _tollgate_catalog_v1_KeepBodiesRequest__Output, _tollgate_catalog_v1_KeepBodiesReply__Output>
  Report: MethodDefinition<_tollgate_catalog_v1_ReportRequest, _tollgate_catalog_v1_ReportReply, _tollgate_catalog_v1_ReportRequest__Output, _tollgate_catalog_v1_ReportReply__Output>
  ReportDecisions: MethodDefinition<_tollgate_catalog_v1_ReportDecisionsRequest, _tollgate_catalog_v1_ReportDecisionsReply, _tollgate_catalog_v1_ReportDecisionsRequest__Output, _tollgate_catalog_v1_ReportDecisionsReply__Output>
  ReportRefused: MethodDefinition<_tollgate_catalog_v1_ReportRefusedRequest, _tollgate_catalog_v1_ReportRefusedReply, _tollgate_catalog_v1_ReportRefusedRequest__Output, _tollgate_catalog_v1_ReportRefusedReply__Output>
  ReportSoftLimits: MethodDefinition<_tollgate_catalog_v1_ReportSoftLimitsRequest, _tollgate_catalog_v1_ReportSoftLimitsReply, _tollgate_catalog_v1_ReportSoftLimitsRequest__Output, _tollgate_catalog_v1_ReportSoftLimitsReply__Output>
  WindowTotals: MethodDefinition<_tollgate_catalog_v1_WindowTotalsRequest, _tollgate_catalog_v1_WindowTotalsReply, _tollgate_catalog_v1_WindowTotalsRequest__Output, _tollgate_catalog_v1_WindowTotalsReply__Output>
}

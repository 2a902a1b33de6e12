// Original file: protos/tollgate/catalog/v1/directory.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Connection as _tollgate_catalog_v1_Connection, Connection__Output as _tollgate_catalog_v1_Connection__Output } from '../../../tollgate/catalog/v1/Connection';
import type { GetConnectionRequest as _tollgate_catalog_v1_GetConnectionRequest, GetConnectionRequest__Output as _tollgate_catalog_v1_GetConnectionRequest__Output } from '../../../tollgate/catalog/v1/GetConnectionRequest';
import type { GetMcpConnectionRequest as _tollgate_catalog_v1_GetMcpConnectionRequest, GetMcpConnectionRequest__Output as _tollgate_catalog_v1_GetMcpConnectionRequest__Output } from '../../../tollgate/catalog/v1/GetMcpConnectionRequest';
import type { GetMcpSignInRequest as _tollgate_catalog_v1_GetMcpSignInRequest, GetMcpSignInRequest__Output as _tollgate_catalog_v1_GetMcpSignInRequest__Output } from '../../../tollgate/catalog/v1/GetMcpSignInRequest';
import type { GetScreeningPolicyRequest as _tollgate_catalog_v1_GetScreeningPolicyRequest, GetScreeningPolicyRequest__Output as _tollgate_catalog_v1_GetScreeningPolicyRequest__Output } from '../../../tollgate/catalog/v1/GetScreeningPolicyRequest';
import type { Invalidation as _tollgate_catalog_v1_Invalidation, Invalidation__Output as _tollgate_catalog_v1_Invalidation__Output } from '../../../tollgate/catalog/v1/Invalidation';
import type { McpConnection as _tollgate_catalog_v1_McpConnection, McpConnection__Output as _tollgate_catalog_v1_McpConnection__Output } from '../../../tollgate/catalog/v1/McpConnection';
import type { McpSignIn as _tollgate_catalog_v1_McpSignIn, McpSignIn__Output as _tollgate_catalog_v1_McpSignIn__Output } from '../../../tollgate/catalog/v1/McpSignIn';
import type { ResolveKeyReply as _tollgate_catalog_v1_ResolveKeyReply, ResolveKeyReply__Output as _tollgate_catalog_v1_ResolveKeyReply__Output } from '../../../tollgate/catalog/v1/ResolveKeyReply';
import type { ResolveKeyRequest as _tollgate_catalog_v1_ResolveKeyRequest, ResolveKeyRequest__Output as _tollgate_catalog_v1_ResolveKeyRequest__Output } from '../../../tollgate/catalog/v1/ResolveKeyRequest';
import type { ResolveKeysReply as _tollgate_catalog_v1_ResolveKeysReply, ResolveKeysReply__Output as _tollgate_catalog_v1_ResolveKeysReply__Output } from '../../../tollgate/catalog/v1/ResolveKeysReply';
import type { ResolveKeysRequest as _tollgate_catalog_v1_ResolveKeysRequest, ResolveKeysRequest__Output as _tollgate_catalog_v1_ResolveKeysRequest__Output } from '../../../tollgate/catalog/v1/ResolveKeysRequest';
import type { ScreeningPolicy as _tollgate_catalog_v1_ScreeningPolicy, ScreeningPolicy__Output as _tollgate_catalog_v1_ScreeningPolicy__Output } from '../../../tollgate/catalog/v1/ScreeningPolicy';
import type { WatchInvalidationsRequest as _tollgate_catalog_v1_WatchInvalidationsRequest, WatchInvalidationsRequest__Output as _tollgate_catalog_v1_WatchInvalidationsRequest__Output } from '../../../tollgate/catalog/v1/WatchInvalidationsRequest';

/**
 * What the data plane knows about organisations, keys, models, limits and connections.
 * Called by policy (contexts, invalidations), by the edge (GetConnection, GetMcpConnection, GetMcpSignIn,
 * GetScreeningPolicy) and by the runner (GetMcpConnection).
 */
export interface DirectoryClient extends grpc.Client {
  /**
   * Connection material of one provider at one version. NOT_FOUND when there is no such version.
   */
  GetConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  GetConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  GetConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  GetConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  /**
   * Connection material of one provider at one version. NOT_FOUND when there is no such version.
   */
  getConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  getConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  getConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  getConnection(argument: _tollgate_catalog_v1_GetConnectionRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_Connection__Output>): grpc.ClientUnaryCall;
  
  /**
   * How to reach one MCP server. Only the current version is kept: the reply names it, and it may be newer
   * than the requested one. NOT_FOUND when there is no such server.
   */
  GetMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  GetMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  GetMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  GetMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  /**
   * How to reach one MCP server. Only the current version is kept: the reply names it, and it may be newer
   * than the requested one. NOT_FOUND when there is no such server.
   */
  getMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  getMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  getMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  getMcpConnection(argument: _tollgate_catalog_v1_GetMcpConnectionRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_McpConnection__Output>): grpc.ClientUnaryCall;
  
  /**
   * How tokens of an organisation's identity provider stand for its API keys at MCP servers. NOT_FOUND when
   * no active organisation has this slug, or it accepts no tokens.
   */
  GetMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  GetMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  GetMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  GetMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  /**
   * How tokens of an organisation's identity provider stand for its API keys at MCP servers. NOT_FOUND when
   * no active organisation has this slug, or it accepts no tokens.
   */
  getMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  getMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  getMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  getMcpSignIn(argument: _tollgate_catalog_v1_GetMcpSignInRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_McpSignIn__Output>): grpc.ClientUnaryCall;
  
  /**
   * The rules of one version of a screening policy. NOT_FOUND when there is no such version.
   */
  GetScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  GetScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  GetScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  GetScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  /**
   * The rules of one version of a screening policy. NOT_FOUND when there is no such version.
   */
  getScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  getScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  getScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  getScreeningPolicy(argument: _tollgate_catalog_v1_GetScreeningPolicyRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ScreeningPolicy__Output>): grpc.ClientUnaryCall;
  
  /**
   * Everything a decision about one key needs. An unknown key is a reply with `found` false, not an
   * error. UNAVAILABLE when the database is unreachable.
   */
  ResolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  ResolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  ResolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  ResolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  /**
   * Everything a decision about one key needs. An unknown key is a reply with `found` false, not an
   * error. UNAVAILABLE when the database is unreachable.
   */
  resolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  resolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  resolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  resolveKey(argument: _tollgate_catalog_v1_ResolveKeyRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeyReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * The same for several keys, read at one instant. What the keys of an organisation share is sent once,
   * and left out when the caller names its digest.
   */
  ResolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  ResolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  ResolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  ResolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  /**
   * The same for several keys, read at one instant. What the keys of an organisation share is sent once,
   * and left out when the caller names its digest.
   */
  resolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  resolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  resolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  resolveKeys(argument: _tollgate_catalog_v1_ResolveKeysRequest, callback: grpc.requestCallback<_tollgate_catalog_v1_ResolveKeysReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Rows of the outbox from a sequence number on, then as they are committed.
   * OUT_OF_RANGE: the position has been pruned; drop the cache and start from 0 (= now).
   */
  WatchInvalidations(argument: _tollgate_catalog_v1_WatchInvalidationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_tollgate_catalog_v1_Invalidation__Output>;
  WatchInvalidations(argument: _tollgate_catalog_v1_WatchInvalidationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_tollgate_catalog_v1_Invalidation__Output>;
  /**
   * Rows of the outbox from a sequence number on, then as they are committed.
   * OUT_OF_RANGE: the position has been pruned; drop the cache and start from 0 (= now).
   */
  watchInvalidations(argument: _tollgate_catalog_v1_WatchInvalidationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_tollgate_catalog_v1_Invalidation__Output>;
  watchInvalidations(argument: _tollgate_catalog_v1_WatchInvalidationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_tollgate_catalog_v1_Invalidation__Output>;
  
}

/**
 * What the data plane knows about organisations, keys, models, limits and connections.
 * Called by policy (contexts, invalidations), by the edge (GetConnection, GetMcpConnection, GetMcpSignIn,
 * GetScreeningPolicy) and by the runner (GetMcpConnection).
 */
export interface DirectoryHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Connection material of one provider at one version. NOT_FOUND when there is no such version.
   */
  GetConnection: grpc.handleUnaryCall<_tollgate_catalog_v1_GetConnectionRequest__Output, _tollgate_catalog_v1_Connection>;
  
  /**
   * How to reach one MCP server. Only the current version is kept: the reply names it, and it may be newer
   * than the requested one. NOT_FOUND when there is no such server.
   */
  GetMcpConnection: grpc.handleUnaryCall<_tollgate_catalog_v1_GetMcpConnectionRequest__Output, _tollgate_catalog_v1_McpConnection>;
  
  /**
   * How tokens of an organisation's identity provider stand for its API keys at MCP servers. NOT_FOUND when
   * no active organisation has this slug, or it accepts no tokens.
   */
  GetMcpSignIn: grpc.handleUnaryCall<_tollgate_catalog_v1_GetMcpSignInRequest__Output, _tollgate_catalog_v1_McpSignIn>;
  
  /**
   * The rules of one version of a screening policy. NOT_FOUND when there is no such version.
   */
  GetScreeningPolicy: grpc.handleUnaryCall<_tollgate_catalog_v1_GetScreeningPolicyRequest__Output, _tollgate_catalog_v1_ScreeningPolicy>;
  
  /**
   * Everything a decision about one key needs. An unknown key is a reply with `found` false, not an
   * error. UNAVAILABLE when the database is unreachable.
   */
  ResolveKey: grpc.handleUnaryCall<_tollgate_catalog_v1_ResolveKeyRequest__Output, _tollgate_catalog_v1_ResolveKeyReply>;
  
  /**
   * The same for several keys, read at one instant. What the keys of an organisation share is sent once,
   * and left out when the caller names its digest.
   */
  ResolveKeys: grpc.handleUnaryCall<_tollgate_catalog_v1_ResolveKeysRequest__Output, _tollgate_catalog_v1_ResolveKeysReply>;
  
  /**
   * Rows of the outbox from a sequence number on, then as they are committed.
   * OUT_OF_RANGE: the position has been pruned; drop the cache and start from 0 (= now).
   */
  WatchInvalidations: grpc.handleServerStreamingCall<_tollgate_catalog_v1_WatchInvalidationsRequest__Output, _tollgate_catalog_v1_Invalidation>;
  
}

export interface DirectoryDefinition extends grpc.ServiceDefinition {
  GetConnection: MethodDefinition<_tollgate_catalog_v1_GetConnectionRequest, _tollgate_catalog_v1_Connection, _tollgate_catalog_v1_GetConnectionRequest__Output, _tollgate_catalog_v1_Connection__Output>
  GetMcpConnection: MethodDefinition<_tollgate_catalog_v1_GetMcpConnectionRequest, _tollgate_catalog_v1_McpConnection, _tollgate_catalog_v1_GetMcpConnectionRequest__Output, _tollgate_catalog_v1_McpConnection__Output>
  GetMcpSignIn: MethodDefinition<_tollgate_catalog_v1_GetMcpSignInRequest, _tollgate_catalog_v1_McpSignIn, _tollgate_catalog_v1_GetMcpSignInRequest__Output, _tollgate_catalog_v1_McpSignIn__Output>
  GetScreeningPolicy: MethodDefinition<_tollgate_catalog_v1_GetScreeningPolicyRequest, _tollgate_catalog_v1_ScreeningPolicy, _tollgate_catalog_v1_GetScreeningPolicyRequest__Output, _tollgate_catalog_v1_ScreeningPolicy__Output>
  ResolveKey: MethodDefinition<_tollgate_catalog_v1_ResolveKeyRequest, _tollgate_catalog_v1_ResolveKeyReply, _tollgate_catalog_v1_ResolveKeyRequest__Output, _tollgate_catalog_v1_ResolveKeyReply__Output>
  ResolveKeys: MethodDefinition<_tollgate_catalog_v1_ResolveKeysRequest, _tollgate_catalog_v1_ResolveKeysReply, _tollgate_catalog_v1_ResolveKeysRequest__Output, _tollgate_catalog_v1_ResolveKeysReply__Output>
  WatchInvalidations: MethodDefinition<_tollgate_catalog_v1_WatchInvalidationsRequest, _tollgate_catalog_v1_Invalidation, _tollgate_catalog_v1_WatchInvalidationsRequest__Output, _tollgate_catalog_v1_Invalidation__Output>
}
